# fmt: off
# pyright: reportReturnType=false
"""Every operation of the API as a method.

Written from the OpenAPI document by `scripts/write_clients.py`: do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pagehand.client.drivers import download, operation

if TYPE_CHECKING:  # for readers and type checkers: the types cost time at every start
    from pagehand.client import types


class Operations:
    """Posts its keywords, in snake_case, to the operation, and returns the answer as it is."""

    @operation("/workflows/blocks/update")
    def workflows_blocks_update(self, *, workflow_id: str, operations: Sequence[Mapping[str, Any]],
        version: int | None = None) -> types.BlockList:
        """Apply block operations in order, all or none; makes a new version."""

    @operation("/workflows/blocks/chat")
    def workflows_blocks_chat(self, *, workflow_id: str, message: str,
        instructor_execution_id: str | None = None,
        target: Mapping[str, Any] | None = None) -> types.ChatAnswer:
        """Generate blocks from a message; feed them to workflows/blocks/update to keep them."""

    @operation("/workflows/cache/list")
    def workflows_cache_list(self, *, workflow_id: str, limit: int | None = None,
        offset: int | None = None) -> types.CacheList:
        """What the workflow's blocks keep; what was kept for a block that has been edited since is left out."""

    @operation("/workflows/cache/clear")
    def workflows_cache_clear(self, *, workflow_id: str, block_id: str | None = None) -> types.ClearedCache:
        """Delete what the workflow's blocks keep, remembered elements included; the next run starts afresh."""

    @operation("/workflows/blocks/kinds")
    def workflows_blocks_kinds(self) -> types.KindList:
        """The kinds of blocks there are, each with the JSON Schema of its fields."""

    @operation("/workflows/execute")
    def workflows_execute(self, *, params: Mapping[str, Any] | None = None, workflow_id: str | None = None,
        workflow_name: str | None = None, login_id: str | None = None, name: str | int | float | None = None,
        timeout: float | None = None, use_proxy: bool | None = None, start_block_id: str | None = None,
        like_execution_id: str | None = None, continue_execution_id: str | None = None,
        batch_id: str | None = None, is_test: bool | None = None, trace: bool | None = None,
        record: bool | None = None, look: bool | None = None,
        agent_conversation_thread_id: str | None = None) -> types.ExecutionAnswer:
        """Start a workflow and answer at once with the new execution."""

    @operation("/workflows/executeSync")
    def workflows_execute_sync(self, *, params: Mapping[str, Any] | None = None,
        workflow_id: str | None = None, workflow_name: str | None = None, login_id: str | None = None,
        name: str | int | float | None = None, timeout: float | None = None, use_proxy: bool | None = None,
        start_block_id: str | None = None, like_execution_id: str | None = None,
        continue_execution_id: str | None = None, batch_id: str | None = None, is_test: bool | None = None,
        trace: bool | None = None, record: bool | None = None, look: bool | None = None,
        agent_conversation_thread_id: str | None = None) -> types.FinishedAnswer:
        """Run a workflow and answer with the finished execution, Completed or Failed."""

    @operation("/workflows/apply")
    def workflows_apply(self, *, name: str, blocks: Sequence[Mapping[str, Any]] | None = None,
        tags: Sequence[str] | None = None, output: Any = None,
        parameters: Sequence[Mapping[str, Any]] | None = None, retry_safe: bool | None = None,
        pictures: Literal['acts', 'all', 'failures', 'none'] | None = None, place: str | None = None,
        force: bool | None = None) -> types.AppliedWorkflow:
        """Make the workflow of that name exactly this; repeated, it changes nothing."""

    @operation("/workflows/duplicate")
    def workflows_duplicate(self, *, id: str, name: str | None = None) -> types.WorkflowAnswer:
        """Make a copy with new ids."""

    @operation("/workflows/export")
    def workflows_export(self, *, id: str, place: str | None = None) -> types.ExportAnswer:
        """A workflow as portable JSON: no ids, nothing secret."""

    @operation("/workflows/import")
    def workflows_import(self, *, workflow: Mapping[str, Any],
        name: str | None = None) -> types.WorkflowAnswer:
        """Create a workflow from an exported one; everything is checked, nothing is run."""

    @operation("/workflows/versions")
    def workflows_versions(self, *, id: str, limit: int | None = None,
        offset: int | None = None) -> types.VersionList:
        """The versions of a workflow."""

    @operation("/workflows/restore")
    def workflows_restore(self, *, id: str, version: int) -> types.WorkflowAnswer:
        """Make a new version with the content of an earlier one."""

    @operation("/workflows/tools")
    def workflows_tools(self, *, limit: int | None = None, offset: int | None = None,
        id: str | None = None) -> types.ToolList:
        """What the workflows take and give, as for an agent that chooses between them."""

    @operation("/workflows/create")
    def workflows_create(self, *, name: str, blocks: Sequence[Mapping[str, Any]] | None = None,
        tags: Sequence[str] | None = None, output: Any = None,
        parameters: Sequence[Mapping[str, Any]] | None = None, retry_safe: bool | None = None,
        pictures: Literal['acts', 'all', 'failures', 'none'] | None = None) -> types.WorkflowAnswer:
        """Make a workflow; a block needs only `type` and `data`, the rest gets defaults."""

    @operation("/workflows/get")
    def workflows_get(self, *, id: str, version: int | None = None,
        with_warnings: bool | None = None) -> types.WorkflowAnswer:
        """One workflow with its whole tree of blocks."""

    @operation("/workflows/list")
    def workflows_list(self, *, limit: int | None = None, offset: int | None = None,
        search: str | None = None, tag_filters: Sequence[str] | None = None) -> types.WorkflowList:
        """Workflows of the organization."""

    @operation("/workflows/update")
    def workflows_update(self, *, id: str, name: str | None = None,
        blocks: Sequence[Mapping[str, Any]] | None = None, tags: Sequence[str] | None = None,
        output: Any = None, parameters: Sequence[Mapping[str, Any]] | None = None,
        retry_safe: bool | None = None, pictures: Literal['acts', 'all', 'failures', 'none'] | None = None,
        version: int | None = None) -> types.WorkflowAnswer:
        """Change any of name, blocks, tags, output, parameters and settings together; makes a new version."""

    @operation("/workflows/delete")
    def workflows_delete(self, *, id: str) -> types.NamedWorkflow:
        """Delete a workflow; its executions stay readable."""

    @download("/executions/evidence")
    def executions_evidence(self, *, to: str | Path, id: str) -> Path:
        """A ZIP of one execution: `execution.json`, `events.json`, `workflow.json`, its pictures and its files."""

    @operation("/executions/events")
    def executions_events(self, *, id: str, limit: int | None = None,
        offset: int | None = None) -> types.EventList:
        """What happened, block by block, with screenshots."""

    @operation("/executions/get")
    def executions_get(self, *, id: str) -> types.ExecutionAnswer:
        """One execution, in the form that fits its status."""

    @operation("/executions/retry")
    def executions_retry(self, *, id: str) -> types.RetryAnswer:
        """Run a Completed or Failed execution again, as a new execution with a new session."""

    @operation("/executions/cancel")
    def executions_cancel(self, *, id: str) -> types.ExecutionAnswer:
        """End an execution that is not finished; it becomes Failed and says who cancelled it."""

    @operation("/executions/pause")
    def executions_pause(self, *, id: str) -> types.ExecutionAnswer:
        """Pause a running execution before its next block."""

    @operation("/executions/resume")
    def executions_resume(self, *, id: str) -> types.ExecutionAnswer:
        """Continue a paused execution."""

    @operation("/executions/list")
    def executions_list(self, *,
        status: Literal['Completed', 'Enqueued', 'Failed', 'InProgress', 'Paused'] | None = None,
        login_id: str | None = None, search: Sequence[str] | None = None, batch: str | None = None,
        workflow_id: str | None = None, workflow_name: str | None = None,
        tag_filters: Sequence[str] | None = None, from_ts: str | None = None, to_ts: str | None = None,
        is_test: bool | None = None, with_response: bool | None = None, limit: int | None = None,
        offset: int | None = None, cursor: str | None = None) -> types.ExecutionList:
        """Executions of the organization, filtered."""

    @operation("/executions/getProposal")
    def executions_get_proposal(self, *, id: str | None = None,
        thread_id: str | None = None) -> types.ProposalAnswer:
        """The change that an execution or a conversation proposes, with the blocks before and after."""

    @operation("/executions/applyProposal")
    def executions_apply_proposal(self, *, id: str | None = None,
        thread_id: str | None = None) -> types.BlockList:
        """Apply what an execution's `metadata.proposedOperations` says, or what a conversation proposes."""

    @operation("/executions/declineProposal")
    def executions_decline_proposal(self, *, id: str | None = None,
        thread_id: str | None = None) -> types.ProposalStateAnswer:
        """Leave the workflow unchanged; the proposal no longer asks for attention."""

    @operation("/attention/list")
    def attention_list(self, *, limit: int | None = None) -> types.AttentionList:
        """Codes, sign-ins by hand, captchas, approvals, logins that fail, and proposals to apply."""

    @download("/batches/results")
    def batches_results(self, *, to: str | Path, id: str) -> Path:
        """A CSV file with one line per row: status, reason, params and response, in the order of the rows."""

    @download("/batches/resultsZip")
    def batches_results_zip(self, *, to: str | Path, id: str) -> Path:
        """A ZIP of a batch: `results.csv` as `/batches/results` makes it, and the files of each row's execution."""

    @operation("/batches/uploadSheet")
    def batches_upload_sheet(self, *, name: str, content_base64: str,
        mime_type: str | None = None) -> types.FileAnswer:
        """Keep a sheet for a batch, as `/files/upload` does, for keys that may run but not edit."""

    @operation("/batches/readSheet")
    def batches_read_sheet(self, *, workflow_id: str, file_id: str | None = None,
        content_base64: str | None | None = None, sheet: str | None = None,
        columns: Mapping[str, str] | None = None, limit: int | None = None) -> types.SheetAnswer:
        """Read a sheet into rows of params for `/batches/create`; nothing is stored and nothing starts."""

    @operation("/batches/createFromSheet")
    def batches_create_from_sheet(self, *, name: str, workflow_id: str, file_id: str,
        sheet: str | None = None, columns: Mapping[str, str] | None = None,
        leave_out_wrong_rows: bool | None = None, login_id: str | None = None,
        concurrency: int | None = None) -> types.BatchAnswer:
        """Start one execution per row of a stored file, all or none."""

    @operation("/batches/skippedRows")
    def batches_skipped_rows(self, *, id: str, limit: int | None = None,
        offset: int | None = None) -> types.SkippedRows:
        """The rows of a batch's sheet that it was started without, and why the workflow would refuse them."""

    @operation("/batches/create")
    def batches_create(self, *, name: str, rows: Sequence[Mapping[str, Any]], workflow_id: str | None = None,
        workflow_name: str | None = None, login_id: str | None = None,
        concurrency: int | None = None) -> types.BatchAnswer:
        """Start one execution per row, all or none."""

    @operation("/batches/get")
    def batches_get(self, *, id: str) -> types.BatchAnswer:
        """One batch and how far it is."""

    @operation("/batches/list")
    def batches_list(self, *, limit: int | None = None, offset: int | None = None) -> types.BatchList:
        """Batches of the organization."""

    @operation("/batches/cancel")
    def batches_cancel(self, *, id: str) -> types.BatchAnswer:
        """Cancel every execution of a batch that is not finished."""

    @operation("/batches/pause")
    def batches_pause(self, *, id: str) -> types.BatchAnswer:
        """Start no more executions of a batch; those that run continue, the others keep waiting."""

    @operation("/batches/resume")
    def batches_resume(self, *, id: str) -> types.BatchAnswer:
        """Start the rest of a paused batch."""

    @operation("/schedules/preview")
    def schedules_preview(self, *, cron: str, time_zone: str | None = None) -> types.TimesAnswer:
        """The next five times of a cron expression, and what it says in words; nothing is stored."""

    @operation("/schedules/create")
    def schedules_create(self, *, cron: str, workflow_id: str | None = None, workflow_name: str | None = None,
        time_zone: str | None = None, params: Mapping[str, Any] | None = None, login_id: str | None = None,
        name: str | None = None, enabled: bool | None = None,
        catch_up: Literal['all', 'latest', 'none'] | None = None,
        overlap: Literal['queue', 'skip'] | None = None, look: bool | None = None) -> types.ScheduleAnswer:
        """Start a workflow at certain times from now on; each time starts exactly one execution."""

    @operation("/schedules/get")
    def schedules_get(self, *, id: str) -> types.ScheduleAnswer:
        """One schedule, its next five times and its latest run."""

    @operation("/schedules/list")
    def schedules_list(self, *, limit: int | None = None, offset: int | None = None,
        workflow_id: str | None = None) -> types.ScheduleList:
        """Schedules of the organization."""

    @operation("/schedules/update")
    def schedules_update(self, *, id: str, cron: str | None = None, workflow_id: str | None = None,
        workflow_name: str | None = None, time_zone: str | None = None,
        params: Mapping[str, Any] | None = None, login_id: str | None = None, name: str | None = None,
        enabled: bool | None = None, catch_up: Literal['all', 'latest', 'none'] | None = None,
        overlap: Literal['queue', 'skip'] | None = None, look: bool | None = None) -> types.ScheduleAnswer:
        """Change a schedule; one that is switched on again continues with its next time."""

    @operation("/schedules/delete")
    def schedules_delete(self, *, id: str) -> types.DeletedScheduleAnswer:
        """Delete a schedule and its history; executions that it started stay."""

    @operation("/schedules/run")
    def schedules_run(self, *, id: str) -> types.ExecutionAnswer:
        """Start an execution of a schedule now, also of one that is switched off; its next time stays."""

    @operation("/schedules/history")
    def schedules_history(self, *, id: str, limit: int | None = None,
        offset: int | None = None) -> types.RunList:
        """What happened at the times of a schedule: started, skipped, missed or failed."""

    @operation("/tags/list")
    def tags_list(self, *, limit: int | None = None, offset: int | None = None) -> types.TagList:
        """Tags of the organization."""

    @operation("/tags/create")
    def tags_create(self, *, name: str) -> types.TagAnswer:
        """Create a tag, or return the one that has this name already."""

    @operation("/tags/rename")
    def tags_rename(self, *, id: str, name: str) -> types.TagAnswer:
        """Rename a tag; the workflows that have it keep it."""

    @operation("/tags/delete")
    def tags_delete(self, *, id: str) -> types.DeletedTagAnswer:
        """Delete a tag, and remove it from workflows."""

    @operation("/logins/test")
    def logins_test(self, *, id: str) -> types.LoginTestAnswer:
        """Sign in with a login in a new browser, and answer with the result."""

    @operation("/logins/list")
    def logins_list(self, *, search: str | None = None, limit: int | None = None,
        offset: int | None = None) -> types.LoginList:
        """Logins of the organization; secrets never leave the service."""

    @operation("/logins/create", use_llm_login_detection="useLLMLoginDetection")
    def logins_create(self, *, name: str, authentication_url: str, home_url: str | None = None,
        icon_url: str | None = None, sign_in_urls: Sequence[str] | None = None, use_proxy: bool | None = None,
        login_configuration: Mapping[str, Any] | None = None, persist_session: bool | None = None,
        is_manual_authentication: bool | None = None, support_concurrent_logins: bool | None = None,
        supports_agent_concurrency: bool | None = None, auto_retry_on_service_down: bool | None = None,
        auto_retry_delay_minutes: float | None = None, auto_retry_max_attempts: int | None = None,
        use_llm_login_detection: bool | None = None, login_detection_prompt: str | None = None,
        login_instructions_prompt: str | None = None) -> types.LoginAnswer:
        """Keep a login; its password, TOTP seed and credential values are encrypted and never shown again."""

    @operation("/logins/get")
    def logins_get(self, *, id: str) -> types.LoginAnswer:
        """One login, secrets masked, with its health."""

    @operation("/logins/update", use_llm_login_detection="useLLMLoginDetection")
    def logins_update(self, *, id: str, name: str | None = None, authentication_url: str | None = None,
        home_url: str | None = None, icon_url: str | None = None, sign_in_urls: Sequence[str] | None = None,
        use_proxy: bool | None = None, login_configuration: Mapping[str, Any] | None = None,
        persist_session: bool | None = None, is_manual_authentication: bool | None = None,
        support_concurrent_logins: bool | None = None, supports_agent_concurrency: bool | None = None,
        auto_retry_on_service_down: bool | None = None, auto_retry_delay_minutes: float | None = None,
        auto_retry_max_attempts: int | None = None, use_llm_login_detection: bool | None = None,
        login_detection_prompt: str | None = None,
        login_instructions_prompt: str | None = None) -> types.LoginAnswer:
        """Change the fields given and keep the others; the mask `********` keeps a secret as it is."""

    @operation("/logins/upsert", use_llm_login_detection="useLLMLoginDetection")
    def logins_upsert(self, *, name: str | None = None, authentication_url: str | None = None,
        home_url: str | None = None, icon_url: str | None = None, sign_in_urls: Sequence[str] | None = None,
        use_proxy: bool | None = None, login_configuration: Mapping[str, Any] | None = None,
        persist_session: bool | None = None, is_manual_authentication: bool | None = None,
        support_concurrent_logins: bool | None = None, supports_agent_concurrency: bool | None = None,
        auto_retry_on_service_down: bool | None = None, auto_retry_delay_minutes: float | None = None,
        auto_retry_max_attempts: int | None = None, use_llm_login_detection: bool | None = None,
        login_detection_prompt: str | None = None,
        login_instructions_prompt: str | None = None) -> types.LoginAnswer:
        """Change the login with the same username, email or phone, or create it when there is none."""

    @operation("/logins/delete")
    def logins_delete(self, *, id: str) -> types.DeletedLoginAnswer:
        """Forget a login and its secrets; executions that used it stay as they are."""

    @operation("/logins/release")
    def logins_release(self, *, id: str) -> types.LoginAnswer:
        """Let runs try again a login that was held back because the site refused its password."""

    @operation("/logins/twoFactorAuth/getCode")
    def logins_two_factor_auth_get_code(self, *, id: str) -> types.CodeAnswer:
        """The one-time code of a login whose two-factor method is TOTP."""

    @operation("/authentication/submitTwoFactorAuthCode")
    def authentication_submit_two_factor_auth_code(self, *, code: str, browser_session_id: str | None = None,
        execution_id: str | None = None, login_id: str | None = None) -> types.SubmitCodeAnswer:
        """Submit the code that an authentication waits for; answers once the site has accepted or refused it."""

    @operation("/browserSessions/list")
    def browser_sessions_list(self, *, limit: int | None = None,
        offset: int | None = None) -> types.SessionList:
        """The browsers that are open for executions of the organization."""

    @operation("/browserSessions/close")
    def browser_sessions_close(self, *, id: str) -> types.SessionAnswer:
        """Close a browser; the execution it serves ends as Failed, and its analysis says why."""

    @operation("/liveSessions/record")
    def live_sessions_record(self, *, id: str, is_on: bool,
        with_address: bool | None = None) -> types.RecordAnswer:
        """Make blocks of what the person does in the live view, until it is switched off."""

    @operation("/liveSessions/recorded")
    def live_sessions_recorded(self, *, id: str, after: int | None = None) -> types.RecordedAnswer:
        """The blocks that were recorded after a revision; while it records, waits up to 10 s for the next one."""

    @operation("/liveSessions/pick")
    def live_sessions_pick(self, *, id: str, x: float, y: float,
        only_element: bool | None = None) -> types.PickAnswer:
        """The element at a point of the live page, with locators for it ranked by what lasts."""

    @operation("/liveSessions/read")
    def live_sessions_read(self, *, id: str, x: float, y: float) -> types.ReadAnswer:
        """A block that reads the table or the text at a point of the live page."""

    @operation("/liveSessions/describe")
    def live_sessions_describe(self, *, id: str, url: str | None = None) -> types.PageInWords:
        """The controls, fields and headings of the live page, with words for them."""

    @operation("/liveSessions/open")
    def live_sessions_open(self, *, workflow_id: str, params: Mapping[str, Any] | None = None,
        login_id: str | None = None, execution_id: str | None = None, use_proxy: bool | None = None,
        timeout: float | None = None) -> types.ExecutionAnswer:
        """Open a browser for building a workflow; answers with the execution it is, once the browser is open."""

    @operation("/liveSessions/run")
    def live_sessions_run(self, *, id: str, blocks: Sequence[Mapping[str, Any]] | None = None,
        block_id: str | None = None, last_block_id: str | None = None, first_block_id: str | None = None,
        continue_execution_id: str | None = None) -> types.Part:
        """Run blocks in a live session and answer when they are done."""

    @operation("/liveSessions/stop")
    def live_sessions_stop(self, *, id: str) -> types.StopAnswer:
        """Interrupt the blocks that run in a live session; its browser stays open."""

    @operation("/liveSessions/close")
    def live_sessions_close(self, *, id: str) -> types.ExecutionAnswer:
        """End a live session; its execution is Completed."""

    @operation("/agents/session/messages/list")
    def agents_session_messages_list(self, *, id: str | None = None, thread_id: str | None = None,
        limit: int | None = None, offset: int | None = None) -> types.MessageList:
        """The messages of an agent thread."""

    @operation("/agents/session/create")
    def agents_session_create(self, *, name: str | None = None,
        workflow_id: str | None = None) -> types.ThreadAnswer:
        """Begin a conversation, about a workflow or about none yet."""

    @operation("/agents/session/messages/send")
    def agents_session_messages_send(self, *, id: str, message: str) -> types.NewMessages:
        """Send a message; the answer describes the blocks that would do it, or why none would."""

    @operation("/files/upload")
    def files_upload(self, *, name: str, content_base64: str,
        mime_type: str | None = None) -> types.FileAnswer:
        """Store a file; workflows can use it by its id."""

    @operation("/files/get")
    def files_get(self, *, id: str) -> types.FileAnswer:
        """One file, with a URL for its bytes."""

    @operation("/files/list")
    def files_list(self, *, limit: int | None = None, offset: int | None = None,
        execution_id: str | None = None, search: str | None = None,
        without_responses: bool | None = None) -> types.FileList:
        """Files of the organization."""

    @operation("/files/delete")
    def files_delete(self, *, id: str) -> types.DeletedFileAnswer:
        """Delete a file and its bytes."""

    @operation("/webhooks/create")
    def webhooks_create(self, *, url: str,
        events: Sequence[Literal['authentication.waiting', 'batch.finished', 'execution.completed', 'execution.failed', 'execution.healed', 'execution.paused', 'execution.started', 'schedule.missed']],
        name: str | None = None,
        format: Literal['mail', 'pagehand', 'slack', 'teams'] | None = None) -> types.NewSecret:
        """Send events to an address from now on; only this response holds the secret that signs them."""

    @operation("/webhooks/list")
    def webhooks_list(self, *, limit: int | None = None, offset: int | None = None) -> types.WebhookList:
        """Webhooks of the organization."""

    @operation("/webhooks/get")
    def webhooks_get(self, *, id: str) -> types.WebhookAnswer:
        """One webhook."""

    @operation("/webhooks/update")
    def webhooks_update(self, *, id: str, url: str | None = None,
        events: Sequence[Literal['authentication.waiting', 'batch.finished', 'execution.completed', 'execution.failed', 'execution.healed', 'execution.paused', 'execution.started', 'schedule.missed']] | None = None,
        name: str | None = None, is_active: bool | None = None) -> types.WebhookAnswer:
        """Change a webhook; while it is switched off, events are not sent, nor sent later."""

    @operation("/webhooks/delete")
    def webhooks_delete(self, *, id: str) -> types.DeletedWebhookAnswer:
        """Delete a webhook, its log, and its pending deliveries."""

    @operation("/webhooks/rotateSecret")
    def webhooks_rotate_secret(self, *, id: str) -> types.NewSecret:
        """Give a webhook a new secret; for 24 hours messages carry a signature of the old one as well."""

    @operation("/webhooks/test")
    def webhooks_test(self, *, id: str) -> types.DeliveryAnswer:
        """Send a message of type `webhook.test` now and say how it went; it is not tried again."""

    @operation("/webhooks/deliveries")
    def webhooks_deliveries(self, *, id: str, limit: int | None = None, offset: int | None = None,
        status: Literal['delivered', 'failed', 'pending', 'unsent'] | None = None) -> types.DeliveryList:
        """The log of a webhook: every message, its attempts and what the target answered."""

    @operation("/webhooks/redeliver")
    def webhooks_redeliver(self, *, id: str, delivery_id: str) -> types.DeliveryAnswer:
        """Send a message of the log again, whether or not it arrived; the target sees the same `webhook-id`."""

    @operation("/knowledge/create")
    def knowledge_create(self, *, name: str, text: str | None = None, file_id: str | None = None,
        tags: Sequence[str] | None = None) -> types.DocumentAnswer:
        """Add a document; its passages can be found at once."""

    @operation("/knowledge/list")
    def knowledge_list(self, *, limit: int | None = None, offset: int | None = None,
        tags: Sequence[str] | None = None) -> types.DocumentList:
        """Documents of the organization."""

    @operation("/knowledge/get")
    def knowledge_get(self, *, id: str) -> types.DocumentAnswer:
        """One document."""

    @operation("/knowledge/delete")
    def knowledge_delete(self, *, id: str) -> types.DeletedDocumentAnswer:
        """Delete a document; the file it came from stays."""

    @operation("/knowledge/query")
    def knowledge_query(self, *, query: str, top_k: int | None = None,
        tags: Sequence[str] | None = None) -> types.PassageList:
        """The passages that answer best, by their words, and by meaning where embeddings are set up."""

    @operation("/keys/create")
    def keys_create(self, *, name: str,
        scopes: Sequence[Literal['*', 'admin', 'edit', 'metrics', 'read', 'run']]) -> types.CreatedKeyAnswer:
        """Make a key of this organization; it can be given no scope that the caller's own key lacks."""

    @operation("/keys/list")
    def keys_list(self, *, limit: int | None = None, offset: int | None = None) -> types.KeyList:
        """Keys of the organization; the keys themselves are shown only when they are made."""

    @operation("/keys/revoke")
    def keys_revoke(self, *, id: str) -> types.RevokedKeyAnswer:
        """Revoke a key; within 5 s it is refused everywhere, and what is still sent to its callers ends."""

    @operation("/organization/get")
    def organization_get(self) -> types.OrganizationAnswer:
        """The organization the caller belongs to."""

    @operation("/organization/update")
    def organization_update(self, *, proxy: str | None = None) -> types.OrganizationAnswer:
        """Set the organization's proxy; executions with `useProxy` go through it from then on."""

    @operation("/statistics/get")
    def statistics_get(self, *, days: int | None = None) -> types.StatisticsAnswer:
        """Outcomes of the organization's executions; costs the same however many there are."""

    @operation("/statistics/modelUsage")
    def statistics_model_usage(self) -> types.ModelUsageAnswer:
        """What the newest executions have spent on the model; one execution says it in `metadata.modelUsage`."""

    @operation("/demo/get")
    def demo_get(self) -> types.DemoAnswer:
        """The demo portal and its workflow."""

    @operation("/demo/break")
    def demo_break(self, *, is_broken: bool) -> types.DemoAnswer:
        """Change the portal's ids, classes, words, order and nesting, so that healing can be watched."""

    @operation("/installation/get")
    def installation_get(self) -> types.InstallationAnswer:
        """How the service is set up; changed by its operator, with settings."""
