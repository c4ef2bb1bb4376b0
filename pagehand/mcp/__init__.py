"""MCP: workflows as tools of agents, over HTTP (`/mcp`) and over standard input and output (`pagehand mcp`).

The tools use the public API with the agent's own key, so scopes, organizations and limits are those of the
API. Nothing else of Pagehand is imported, and nothing imports this before it is needed.
"""
