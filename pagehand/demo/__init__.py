"""A small insurance portal to try workflows on, and a workflow that uses it."""

from pagehand.demo.first_run import demo_workflow
from pagehand.demo.portal import RunningPortal, create_portal, serve_portal
