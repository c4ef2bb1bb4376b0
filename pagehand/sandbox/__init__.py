"""Where the untrusted is kept in: user code in its workers, traffic behind a policy."""
