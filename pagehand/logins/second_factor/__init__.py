"""Second factors: codes from a seed, from mail, or from a person."""
