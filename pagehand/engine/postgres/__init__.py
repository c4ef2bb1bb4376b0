"""The engine of several processes: executions are handed out by Procrastinate's queue on PostgreSQL."""
