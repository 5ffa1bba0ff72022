package io.millrace.admin;

import java.util.List;
import java.util.concurrent.Flow;

/** Takes every line as it comes. */
record LineReader(List<String> lines) implements Flow.Subscriber<String> {
  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(String line) {
    lines.add(line);
  }

  @Override
  public void onError(Throwable cause) {
    lines.add("error: " + cause);
  }

  @Override
  public void onComplete() {
    lines.add("end");
  }
}
