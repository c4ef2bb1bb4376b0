"""The live view: a page that shows the running browser of an execution and lets a person drive it.

A signed link (`links`) is the only way in. `pages` serves the page behind it, `socket` accepts the page's
WebSocket, `viewer_connection` serves one viewer, and `relay` passes the socket on to the process that runs
the execution.
"""
