"""What can be known of a workflow without running it: mistakes are refused, likely ones become warnings.

Everything is parsed and nothing is executed. Texts are bounded in length, and each check takes time in
proportion to what it reads.
"""

from pagehand.checks.workflow import WorkflowWarning, check_workflow
