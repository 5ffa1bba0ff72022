-- A version that nodes of this one may not start on.
update millrace.compatibility set compatible_from = 901;
