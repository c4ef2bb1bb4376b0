"""Pages in the manner of different front ends, and what happens to them between two visits."""
