package io.millrace.admin;

/** What ends the work on a request early, with an answer that is the caller's business. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Answer answer;

  Refusal(Answer answer) {
    super(answer.body().toString());
    this.answer = answer;
  }

  static Refusal notFound(String detail) {
    return new Refusal(Answer.problem(404, "Not Found", detail));
  }

  Answer answer() {
    return answer;
  }
}
