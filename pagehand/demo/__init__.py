"""A small insurance portal to try workflows on, and a workflow that uses it."""

from pagehand.demo.portal import RunningPortal, create_portal, serve_portal
from pagehand.demo.workflow import demo_workflow
