"""A method for each command. Written by `npm run docs` from docs/rpc.schema.json: do not edit."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Sequence, Union

from .deadlines import DEFAULT, Deadline
from .protocol import (
    AbortAndPromptData,
    AbortAndRestoreQueueData,
    AbortData,
    AbortQueue,
    ApprovalMode,
    ApprovalResponseData,
    ApprovalRule,
    Attachment,
    BashData,
    BranchData,
    CancelData,
    CancelSubagentData,
    ClearQueueData,
    CloneData,
    CompactData,
    CycleModelData,
    CycleThinkingLevelData,
    EditQueuedMessageData,
    ExportHtmlData,
    FollowUpData,
    ForkData,
    GetApprovalsData,
    GetAvailableCommandsData,
    GetAvailableModelsData,
    GetAvailableThinkingLevelsData,
    GetBranchMessagesData,
    GetBudgetData,
    GetCommandsData,
    GetEntriesData,
    GetFibersData,
    GetForkMessagesData,
    GetIntegrationsData,
    GetLastAssistantTextData,
    GetMessagesData,
    GetMessagesPageData,
    GetQueueData,
    GetSchemaData,
    GetSessionStatsData,
    GetStateData,
    GetSubagentMessagesData,
    GetSubagentsData,
    GetTreeData,
    ImageContent,
    InitializeData,
    InitializeRequestCapabilities,
    InitializeRequestClientInfo,
    InterruptMode,
    ListSessionsData,
    NavigateTreeData,
    NegotiateProtocolData,
    NewSessionData,
    OpenSessionData,
    PingData,
    PromoteQueuedMessageData,
    PromptData,
    QueueMode,
    RemoveQueuedMessageData,
    SetApprovalPolicyData,
    SetApprovalPolicyRequestRules,
    SetBudgetData,
    SetBudgetRequestLimits,
    SetEventFilterData,
    SetEventOptionsData,
    SetModelData,
    SetSubagentSubscriptionData,
    SetTodosData,
    SteerData,
    SwitchSessionData,
    TodoPhaseInput,
)


def given(params: Dict[str, Any]) -> Dict[str, Any]:
    """The members that the caller gave: an absent one is left out of the frame."""
    return {name: value for name, value in params.items() if value is not None}


class AsyncCommands:
    """Every command as a coroutine."""

    async def _call(self, command: str, params: Dict[str, Any], deadline: Deadline) -> Any:
        raise NotImplementedError

    async def prompt(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        attachments: Optional[Sequence[Attachment]] = None,
        streaming_behavior: Optional[Literal["steer", "followUp"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> PromptData:
        """Sends a user message: starts a run, or with `streamingBehavior` joins the active one."""
        data: PromptData = await self._call("prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id, "attachments": attachments, "streamingBehavior": streaming_behavior})}, deadline)
        return data

    async def steer(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SteerData:
        """Queues a message for the next model call of the active run; in `immediate` mode the remaining tool calls are skipped."""
        data: SteerData = await self._call("steer", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)
        return data

    async def follow_up(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> FollowUpData:
        """Queues a message for when the model would stop."""
        data: FollowUpData = await self._call("follow_up", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)
        return data

    async def abort(
        self,
        *,
        queue: Optional[AbortQueue] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortData:
        """Stops the active run and answers after its `agent_end`; succeeds also when nothing runs."""
        data: AbortData = await self._call("abort", given({"queue": queue}), deadline)
        return data

    async def abort_and_restore_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> AbortAndRestoreQueueData:
        """`abort`, with the messages that it takes out of the queue as they were sent, to be edited and sent again."""
        data: AbortAndRestoreQueueData = await self._call("abort_and_restore_queue", {}, deadline)
        return data

    async def abort_and_prompt(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortAndPromptData:
        """Stops the active run, then sends a user message."""
        data: AbortAndPromptData = await self._call("abort_and_prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)
        return data

    async def clear_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> ClearQueueData:
        """Empties the queue and answers with its texts; queued prompts end as aborted."""
        data: ClearQueueData = await self._call("clear_queue", {}, deadline)
        return data

    async def get_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetQueueData:
        """The queue in the order of delivery: steering, then follow-ups, then what waits for the next prompt."""
        data: GetQueueData = await self._call("get_queue", {}, deadline)
        return data

    async def edit_queued_message(
        self,
        message_id: str,
        *,
        message: Optional[str] = None,
        images: Optional[Sequence[ImageContent]] = None,
        expected_revision: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> EditQueuedMessageData:
        """Changes the text or the images of a queued message; with `expectedRevision` only if the queue still has that revision."""
        data: EditQueuedMessageData = await self._call("edit_queued_message", {"messageId": message_id, **given({"message": message, "images": images, "expectedRevision": expected_revision})}, deadline)
        return data

    async def remove_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        queue: Optional[Literal["steering", "followUp"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> RemoveQueuedMessageData:
        """Takes one message out of the queue: by `messageId`, or the first of a `queue` with the text `message`."""
        data: RemoveQueuedMessageData = await self._call("remove_queued_message", given({"messageId": message_id, "message": message, "queue": queue}), deadline)
        return data

    async def promote_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        to: Optional[Literal["steering", "front"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> PromoteQueuedMessageData:
        """Moves a queued message to the end of steering, or to the front of the queue it is in."""
        data: PromoteQueuedMessageData = await self._call("promote_queued_message", given({"messageId": message_id, "message": message, "to": to}), deadline)
        return data

    async def set_steering_mode(
        self,
        mode: QueueMode,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Whether steering messages are delivered one per turn or all at once."""
        await self._call("set_steering_mode", {"mode": mode}, deadline)

    async def set_follow_up_mode(
        self,
        mode: QueueMode,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Whether follow-up messages are delivered one per turn or all at once."""
        await self._call("set_follow_up_mode", {"mode": mode}, deadline)

    async def set_interrupt_mode(
        self,
        mode: InterruptMode,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Whether steering waits for the tool calls of a turn or interrupts them."""
        await self._call("set_interrupt_mode", {"mode": mode}, deadline)

    async def get_state(
        self,
        *,
        verbose: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetStateData:
        """The state of the session; with `verbose` also the system prompt and the tools."""
        data: GetStateData = await self._call("get_state", given({"verbose": verbose}), deadline)
        return data

    async def get_messages(
        self,
        *,
        after_entry_id: Optional[str] = None,
        limit: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesData:
        """The messages of the conversation, oldest first."""
        data: GetMessagesData = await self._call("get_messages", given({"afterEntryId": after_entry_id, "limit": limit}), deadline)
        return data

    async def get_messages_page(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesPageData:
        """The messages of the conversation in pages of at most `limit` (1 to 256, 100 unless given) and 768 KiB."""
        data: GetMessagesPageData = await self._call("get_messages_page", given({"cursor": cursor, "limit": limit}), deadline)
        return data

    async def get_last_assistant_text(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetLastAssistantTextData:
        """Text of the newest assistant message; `null` when there is none."""
        data: GetLastAssistantTextData = await self._call("get_last_assistant_text", {}, deadline)
        return data

    async def new_session(
        self,
        *,
        parent_session: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> NewSessionData:
        """Opens an empty session."""
        data: NewSessionData = await self._call("new_session", given({"parentSession": parent_session}), deadline)
        return data

    async def switch_session(
        self,
        session_path: str,
        *,
        provider: Optional[str] = None,
        model_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SwitchSessionData:
        """Opens another session, by path, id, or the beginning of an id."""
        data: SwitchSessionData = await self._call("switch_session", {"sessionPath": session_path, **given({"provider": provider, "modelId": model_id})}, deadline)
        return data

    async def branch(
        self,
        entry_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> BranchData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        data: BranchData = await self._call("branch", {"entryId": entry_id}, deadline)
        return data

    async def fork(
        self,
        *,
        entry_id: Optional[str] = None,
        include: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> ForkData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        data: ForkData = await self._call("fork", given({"entryId": entry_id, "include": include}), deadline)
        return data

    async def clone(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CloneData:
        """Opens a copy of the active branch as a new session."""
        data: CloneData = await self._call("clone", {}, deadline)
        return data

    async def open_session(
        self,
        *,
        session_dir: Optional[str] = None,
        parallel: Optional[bool] = None,
        provider: Optional[str] = None,
        model_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> OpenSessionData:
        """Opens the newest session of a folder that has messages, or a new one there."""
        data: OpenSessionData = await self._call("open_session", given({"sessionDir": session_dir, "parallel": parallel, "provider": provider, "modelId": model_id}), deadline)
        return data

    async def get_entries(
        self,
        *,
        since: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetEntriesData:
        """Every entry of the session in the order in which they were stored, or those after `since`."""
        data: GetEntriesData = await self._call("get_entries", given({"since": since}), deadline)
        return data

    async def get_tree(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetTreeData:
        """The entries of the session, each with its children."""
        data: GetTreeData = await self._call("get_tree", {}, deadline)
        return data

    async def navigate_tree(
        self,
        entry_id: str,
        *,
        summarize: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> NavigateTreeData:
        """Moves the leaf to another entry of the session, where the conversation then continues."""
        data: NavigateTreeData = await self._call("navigate_tree", {"entryId": entry_id, **given({"summarize": summarize})}, deadline)
        return data

    async def get_branch_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetBranchMessagesData:
        """The messages of the user that `branch` takes, oldest first."""
        data: GetBranchMessagesData = await self._call("get_branch_messages", {}, deadline)
        return data

    async def get_fork_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetForkMessagesData:
        """The messages of the user that `fork` takes, oldest first."""
        data: GetForkMessagesData = await self._call("get_fork_messages", {}, deadline)
        return data

    async def set_session_name(
        self,
        name: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Names the session: on one line, without control characters."""
        await self._call("set_session_name", {"name": name}, deadline)

    async def get_session_stats(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetSessionStatsData:
        """The number of messages, and the tokens and cost of the session."""
        data: GetSessionStatsData = await self._call("get_session_stats", {}, deadline)
        return data

    async def export_html(
        self,
        *,
        output_path: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> ExportHtmlData:
        """Writes the session into one self-contained HTML file and answers its absolute path."""
        data: ExportHtmlData = await self._call("export_html", given({"outputPath": output_path}), deadline)
        return data

    async def list_sessions(
        self,
        *,
        scope: Optional[Literal["open", "stored", "all"]] = None,
        cwd: Optional[str] = None,
        query: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> ListSessionsData:
        """The open and the stored sessions, most recently used first."""
        data: ListSessionsData = await self._call("list_sessions", given({"scope": scope, "cwd": cwd, "query": query, "cursor": cursor, "limit": limit}), deadline)
        return data

    async def set_model(
        self,
        provider: str,
        model_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetModelData:
        """Switches the model from the next model call on, also inside a run; the thinking level is clamped to it."""
        data: SetModelData = await self._call("set_model", {"provider": provider, "modelId": model_id}, deadline)
        return data

    async def cycle_model(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CycleModelData:
        """Switches to the next model of the scoped list, or of all available ones; `null` when there are fewer than two."""
        data: CycleModelData = await self._call("cycle_model", {}, deadline)
        return data

    async def get_available_models(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableModelsData:
        """Models whose provider has credentials or needs none."""
        data: GetAvailableModelsData = await self._call("get_available_models", {}, deadline)
        return data

    async def set_thinking_level(
        self,
        level: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Sets how hard the model thinks, clamped to what it supports."""
        await self._call("set_thinking_level", {"level": level}, deadline)

    async def cycle_thinking_level(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CycleThinkingLevelData:
        """Switches to the next level the model supports; `null` when it does not reason."""
        data: CycleThinkingLevelData = await self._call("cycle_thinking_level", {}, deadline)
        return data

    async def get_available_thinking_levels(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableThinkingLevelsData:
        """The levels the current model supports, `off` first."""
        data: GetAvailableThinkingLevelsData = await self._call("get_available_thinking_levels", {}, deadline)
        return data

    async def set_auto_retry(
        self,
        enabled: bool,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Switches automatic retries on or off; off also ends the current wait."""
        await self._call("set_auto_retry", {"enabled": enabled}, deadline)

    async def abort_retry(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Ends the wait before a retry: the run ends with the error. Succeeds also when no retry waits."""
        await self._call("abort_retry", {}, deadline)

    async def compact(
        self,
        *,
        custom_instructions: Optional[str] = None,
        resume: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> CompactData:
        """Replaces the older part of the conversation by a summary."""
        data: CompactData = await self._call("compact", given({"customInstructions": custom_instructions, "resume": resume}), deadline)
        return data

    async def abort_compaction(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Cancels the active compaction; a run continues. Succeeds also when there is none."""
        await self._call("abort_compaction", {}, deadline)

    async def set_auto_compaction(
        self,
        enabled: bool,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Switches automatic compaction on or off, also for the active run."""
        await self._call("set_auto_compaction", {"enabled": enabled}, deadline)

    async def get_budget(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetBudgetData:
        """The limits of the session, what it has spent, and the same for every scope that is open in it."""
        data: GetBudgetData = await self._call("get_budget", {}, deadline)
        return data

    async def set_budget(
        self,
        limits: SetBudgetRequestLimits,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetBudgetData:
        """Changes limits of the session: given members replace, `null` removes."""
        data: SetBudgetData = await self._call("set_budget", {"limits": limits}, deadline)
        return data

    async def bash(
        self,
        command: str,
        *,
        exclude_from_context: Optional[bool] = None,
        timeout: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> BashData:
        """Runs a shell command and answers when it has ended; a non-zero exit code is a success."""
        data: BashData = await self._call("bash", {"command": command, **given({"excludeFromContext": exclude_from_context, "timeout": timeout})}, deadline)
        return data

    async def abort_bash(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Ends all running `bash` commands; each of them answers with `cancelled`."""
        await self._call("abort_bash", {}, deadline)

    async def set_approval_policy(
        self,
        *,
        mode: Optional[ApprovalMode] = None,
        rules: Optional[SetApprovalPolicyRequestRules] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetApprovalPolicyData:
        """Sets what becomes of effects that no rule speaks of, and the rules of the host."""
        data: SetApprovalPolicyData = await self._call("set_approval_policy", given({"mode": mode, "rules": rules}), deadline)
        return data

    async def approval_response(
        self,
        approval_id: str,
        *,
        decision: Optional[Any] = None,
        rule: Optional[Union[str, ApprovalRule]] = None,
        message: Optional[str] = None,
        args_hash: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> ApprovalResponseData:
        """Answers an `approval_request`. The response comes before anything follows from the answer."""
        data: ApprovalResponseData = await self._call("approval_response", {"approvalId": approval_id, **given({"decision": decision, "rule": rule, "message": message, "argsHash": args_hash})}, deadline)
        return data

    async def get_approvals(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetApprovalsData:
        """The questions that are open, as their `approval_request` frames have them."""
        data: GetApprovalsData = await self._call("get_approvals", {}, deadline)
        return data

    async def set_todos(
        self,
        phases: Sequence[TodoPhaseInput],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetTodosData:
        """Replaces the todo list; `[]` clears it. Returns the list as it is kept."""
        data: SetTodosData = await self._call("set_todos", {"phases": phases}, deadline)
        return data

    async def set_subagent_subscription(
        self,
        level: Literal["off", "progress", "events"],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetSubagentSubscriptionData:
        """Chooses how much is told of subagents: nothing more (`off`), their `progress`, or all their `events`, too."""
        data: SetSubagentSubscriptionData = await self._call("set_subagent_subscription", {"level": level}, deadline)
        return data

    async def get_subagents(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentsData:
        """The subagents that run, in the order of their start."""
        data: GetSubagentsData = await self._call("get_subagents", {}, deadline)
        return data

    async def get_subagent_messages(
        self,
        *,
        subagent_id: Optional[str] = None,
        session_file: Optional[str] = None,
        from_byte: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentMessagesData:
        """The transcript of a subagent of this session from a byte on, in whole lines, also after its end."""
        data: GetSubagentMessagesData = await self._call("get_subagent_messages", given({"subagentId": subagent_id, "sessionFile": session_file, "fromByte": from_byte}), deadline)
        return data

    async def cancel_subagent(
        self,
        subagent_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CancelSubagentData:
        """Ends a subagent and all below it, as `cancel` does; answers when they have ended."""
        data: CancelSubagentData = await self._call("cancel_subagent", {"subagentId": subagent_id}, deadline)
        return data

    async def steer_subagent(
        self,
        subagent_id: str,
        message: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Queues a message for the next model call of a subagent that runs."""
        await self._call("steer_subagent", {"subagentId": subagent_id, "message": message}, deadline)

    async def get_fibers(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetFibersData:
        """The tree of everything that runs in the session at this moment."""
        data: GetFibersData = await self._call("get_fibers", {}, deadline)
        return data

    async def cancel(
        self,
        target_id: Union[str, float],
        *,
        reason: Optional[str] = None,
        grace_ms: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> CancelData:
        """Ends a node of `get_fibers` and all nodes below it; answers when they have ended."""
        data: CancelData = await self._call("cancel", {"targetId": target_id, **given({"reason": reason, "graceMs": grace_ms})}, deadline)
        return data

    async def get_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetCommandsData:
        """The commands that a prompt can start with: those of extensions, then prompt templates, then skills."""
        data: GetCommandsData = await self._call("get_commands", {}, deadline)
        return data

    async def get_available_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableCommandsData:
        """The same in the form of the omp family. `available_commands_update` has it whenever it changes."""
        data: GetAvailableCommandsData = await self._call("get_available_commands", {}, deadline)
        return data

    async def set_locale(
        self,
        locale: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """The language of the user, for example `de` or `pt-BR`. It is kept; nothing depends on it yet."""
        await self._call("set_locale", {"locale": locale}, deadline)

    async def get_integrations(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetIntegrationsData:
        """Whether the selected model can be called. No other services are connected."""
        data: GetIntegrationsData = await self._call("get_integrations", {}, deadline)
        return data

    async def ping(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> PingData:
        """Answers at once."""
        data: PingData = await self._call("ping", {}, deadline)
        return data

    async def get_schema(
        self,
        *,
        part: Optional[Literal["commands", "events", "types", "all"]] = None,
        if_none_match: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSchemaData:
        """This reference as JSON Schema 2020-12, generated from the definitions that decode the input."""
        data: GetSchemaData = await self._call("get_schema", given({"part": part, "ifNoneMatch": if_none_match}), deadline)
        return data

    async def initialize(
        self,
        *,
        protocol_version: Optional[int] = None,
        client_info: Optional[InitializeRequestClientInfo] = None,
        capabilities: Optional[InitializeRequestCapabilities] = None,
        deadline: Deadline = DEFAULT,
    ) -> InitializeData:
        """Exchanges versions and capabilities; all members are optional. Send it once, best as the first command."""
        data: InitializeData = await self._call("initialize", given({"protocolVersion": protocol_version, "clientInfo": client_info, "capabilities": capabilities}), deadline)
        return data

    async def negotiate_protocol(
        self,
        protocol_version: float,
        *,
        deadline: Deadline = DEFAULT,
    ) -> NegotiateProtocolData:
        """Agrees on transport version 2 of the omp family: after the response, long frames come as `rpc_chunk`."""
        data: NegotiateProtocolData = await self._call("negotiate_protocol", {"protocolVersion": protocol_version}, deadline)
        return data

    async def set_event_filter(
        self,
        events: Any,
        *,
        message_updates: Optional[Literal["full", "delta"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventFilterData:
        """Chooses which session events are sent, by their types; `null` means all of them."""
        data: SetEventFilterData = await self._call("set_event_filter", {"events": events, **given({"messageUpdates": message_updates})}, deadline)
        return data

    async def set_event_options(
        self,
        *,
        updates: Optional[Literal["full", "delta"]] = None,
        extra: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventOptionsData:
        """Chooses the form of `message_update`: `full` repeats the whole message, `delta` sends increments only."""
        data: SetEventOptionsData = await self._call("set_event_options", given({"updates": updates, "extra": extra}), deadline)
        return data


class Commands:
    """Every command as a method that blocks."""

    def _call(self, command: str, params: Dict[str, Any], deadline: Deadline) -> Any:
        raise NotImplementedError

    def prompt(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        attachments: Optional[Sequence[Attachment]] = None,
        streaming_behavior: Optional[Literal["steer", "followUp"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> PromptData:
        """Sends a user message: starts a run, or with `streamingBehavior` joins the active one."""
        data: PromptData = self._call("prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id, "attachments": attachments, "streamingBehavior": streaming_behavior})}, deadline)
        return data

    def steer(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SteerData:
        """Queues a message for the next model call of the active run; in `immediate` mode the remaining tool calls are skipped."""
        data: SteerData = self._call("steer", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)
        return data

    def follow_up(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> FollowUpData:
        """Queues a message for when the model would stop."""
        data: FollowUpData = self._call("follow_up", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)
        return data

    def abort(
        self,
        *,
        queue: Optional[AbortQueue] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortData:
        """Stops the active run and answers after its `agent_end`; succeeds also when nothing runs."""
        data: AbortData = self._call("abort", given({"queue": queue}), deadline)
        return data

    def abort_and_restore_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> AbortAndRestoreQueueData:
        """`abort`, with the messages that it takes out of the queue as they were sent, to be edited and sent again."""
        data: AbortAndRestoreQueueData = self._call("abort_and_restore_queue", {}, deadline)
        return data

    def abort_and_prompt(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortAndPromptData:
        """Stops the active run, then sends a user message."""
        data: AbortAndPromptData = self._call("abort_and_prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)
        return data

    def clear_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> ClearQueueData:
        """Empties the queue and answers with its texts; queued prompts end as aborted."""
        data: ClearQueueData = self._call("clear_queue", {}, deadline)
        return data

    def get_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetQueueData:
        """The queue in the order of delivery: steering, then follow-ups, then what waits for the next prompt."""
        data: GetQueueData = self._call("get_queue", {}, deadline)
        return data

    def edit_queued_message(
        self,
        message_id: str,
        *,
        message: Optional[str] = None,
        images: Optional[Sequence[ImageContent]] = None,
        expected_revision: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> EditQueuedMessageData:
        """Changes the text or the images of a queued message; with `expectedRevision` only if the queue still has that revision."""
        data: EditQueuedMessageData = self._call("edit_queued_message", {"messageId": message_id, **given({"message": message, "images": images, "expectedRevision": expected_revision})}, deadline)
        return data

    def remove_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        queue: Optional[Literal["steering", "followUp"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> RemoveQueuedMessageData:
        """Takes one message out of the queue: by `messageId`, or the first of a `queue` with the text `message`."""
        data: RemoveQueuedMessageData = self._call("remove_queued_message", given({"messageId": message_id, "message": message, "queue": queue}), deadline)
        return data

    def promote_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        to: Optional[Literal["steering", "front"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> PromoteQueuedMessageData:
        """Moves a queued message to the end of steering, or to the front of the queue it is in."""
        data: PromoteQueuedMessageData = self._call("promote_queued_message", given({"messageId": message_id, "message": message, "to": to}), deadline)
        return data

    def set_steering_mode(
        self,
        mode: QueueMode,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Whether steering messages are delivered one per turn or all at once."""
        self._call("set_steering_mode", {"mode": mode}, deadline)

    def set_follow_up_mode(
        self,
        mode: QueueMode,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Whether follow-up messages are delivered one per turn or all at once."""
        self._call("set_follow_up_mode", {"mode": mode}, deadline)

    def set_interrupt_mode(
        self,
        mode: InterruptMode,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Whether steering waits for the tool calls of a turn or interrupts them."""
        self._call("set_interrupt_mode", {"mode": mode}, deadline)

    def get_state(
        self,
        *,
        verbose: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetStateData:
        """The state of the session; with `verbose` also the system prompt and the tools."""
        data: GetStateData = self._call("get_state", given({"verbose": verbose}), deadline)
        return data

    def get_messages(
        self,
        *,
        after_entry_id: Optional[str] = None,
        limit: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesData:
        """The messages of the conversation, oldest first."""
        data: GetMessagesData = self._call("get_messages", given({"afterEntryId": after_entry_id, "limit": limit}), deadline)
        return data

    def get_messages_page(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesPageData:
        """The messages of the conversation in pages of at most `limit` (1 to 256, 100 unless given) and 768 KiB."""
        data: GetMessagesPageData = self._call("get_messages_page", given({"cursor": cursor, "limit": limit}), deadline)
        return data

    def get_last_assistant_text(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetLastAssistantTextData:
        """Text of the newest assistant message; `null` when there is none."""
        data: GetLastAssistantTextData = self._call("get_last_assistant_text", {}, deadline)
        return data

    def new_session(
        self,
        *,
        parent_session: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> NewSessionData:
        """Opens an empty session."""
        data: NewSessionData = self._call("new_session", given({"parentSession": parent_session}), deadline)
        return data

    def switch_session(
        self,
        session_path: str,
        *,
        provider: Optional[str] = None,
        model_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SwitchSessionData:
        """Opens another session, by path, id, or the beginning of an id."""
        data: SwitchSessionData = self._call("switch_session", {"sessionPath": session_path, **given({"provider": provider, "modelId": model_id})}, deadline)
        return data

    def branch(
        self,
        entry_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> BranchData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        data: BranchData = self._call("branch", {"entryId": entry_id}, deadline)
        return data

    def fork(
        self,
        *,
        entry_id: Optional[str] = None,
        include: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> ForkData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        data: ForkData = self._call("fork", given({"entryId": entry_id, "include": include}), deadline)
        return data

    def clone(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CloneData:
        """Opens a copy of the active branch as a new session."""
        data: CloneData = self._call("clone", {}, deadline)
        return data

    def open_session(
        self,
        *,
        session_dir: Optional[str] = None,
        parallel: Optional[bool] = None,
        provider: Optional[str] = None,
        model_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> OpenSessionData:
        """Opens the newest session of a folder that has messages, or a new one there."""
        data: OpenSessionData = self._call("open_session", given({"sessionDir": session_dir, "parallel": parallel, "provider": provider, "modelId": model_id}), deadline)
        return data

    def get_entries(
        self,
        *,
        since: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetEntriesData:
        """Every entry of the session in the order in which they were stored, or those after `since`."""
        data: GetEntriesData = self._call("get_entries", given({"since": since}), deadline)
        return data

    def get_tree(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetTreeData:
        """The entries of the session, each with its children."""
        data: GetTreeData = self._call("get_tree", {}, deadline)
        return data

    def navigate_tree(
        self,
        entry_id: str,
        *,
        summarize: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> NavigateTreeData:
        """Moves the leaf to another entry of the session, where the conversation then continues."""
        data: NavigateTreeData = self._call("navigate_tree", {"entryId": entry_id, **given({"summarize": summarize})}, deadline)
        return data

    def get_branch_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetBranchMessagesData:
        """The messages of the user that `branch` takes, oldest first."""
        data: GetBranchMessagesData = self._call("get_branch_messages", {}, deadline)
        return data

    def get_fork_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetForkMessagesData:
        """The messages of the user that `fork` takes, oldest first."""
        data: GetForkMessagesData = self._call("get_fork_messages", {}, deadline)
        return data

    def set_session_name(
        self,
        name: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Names the session: on one line, without control characters."""
        self._call("set_session_name", {"name": name}, deadline)

    def get_session_stats(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetSessionStatsData:
        """The number of messages, and the tokens and cost of the session."""
        data: GetSessionStatsData = self._call("get_session_stats", {}, deadline)
        return data

    def export_html(
        self,
        *,
        output_path: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> ExportHtmlData:
        """Writes the session into one self-contained HTML file and answers its absolute path."""
        data: ExportHtmlData = self._call("export_html", given({"outputPath": output_path}), deadline)
        return data

    def list_sessions(
        self,
        *,
        scope: Optional[Literal["open", "stored", "all"]] = None,
        cwd: Optional[str] = None,
        query: Optional[str] = None,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> ListSessionsData:
        """The open and the stored sessions, most recently used first."""
        data: ListSessionsData = self._call("list_sessions", given({"scope": scope, "cwd": cwd, "query": query, "cursor": cursor, "limit": limit}), deadline)
        return data

    def set_model(
        self,
        provider: str,
        model_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetModelData:
        """Switches the model from the next model call on, also inside a run; the thinking level is clamped to it."""
        data: SetModelData = self._call("set_model", {"provider": provider, "modelId": model_id}, deadline)
        return data

    def cycle_model(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CycleModelData:
        """Switches to the next model of the scoped list, or of all available ones; `null` when there are fewer than two."""
        data: CycleModelData = self._call("cycle_model", {}, deadline)
        return data

    def get_available_models(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableModelsData:
        """Models whose provider has credentials or needs none."""
        data: GetAvailableModelsData = self._call("get_available_models", {}, deadline)
        return data

    def set_thinking_level(
        self,
        level: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Sets how hard the model thinks, clamped to what it supports."""
        self._call("set_thinking_level", {"level": level}, deadline)

    def cycle_thinking_level(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CycleThinkingLevelData:
        """Switches to the next level the model supports; `null` when it does not reason."""
        data: CycleThinkingLevelData = self._call("cycle_thinking_level", {}, deadline)
        return data

    def get_available_thinking_levels(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableThinkingLevelsData:
        """The levels the current model supports, `off` first."""
        data: GetAvailableThinkingLevelsData = self._call("get_available_thinking_levels", {}, deadline)
        return data

    def set_auto_retry(
        self,
        enabled: bool,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Switches automatic retries on or off; off also ends the current wait."""
        self._call("set_auto_retry", {"enabled": enabled}, deadline)

    def abort_retry(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Ends the wait before a retry: the run ends with the error. Succeeds also when no retry waits."""
        self._call("abort_retry", {}, deadline)

    def compact(
        self,
        *,
        custom_instructions: Optional[str] = None,
        resume: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> CompactData:
        """Replaces the older part of the conversation by a summary."""
        data: CompactData = self._call("compact", given({"customInstructions": custom_instructions, "resume": resume}), deadline)
        return data

    def abort_compaction(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Cancels the active compaction; a run continues. Succeeds also when there is none."""
        self._call("abort_compaction", {}, deadline)

    def set_auto_compaction(
        self,
        enabled: bool,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Switches automatic compaction on or off, also for the active run."""
        self._call("set_auto_compaction", {"enabled": enabled}, deadline)

    def get_budget(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetBudgetData:
        """The limits of the session, what it has spent, and the same for every scope that is open in it."""
        data: GetBudgetData = self._call("get_budget", {}, deadline)
        return data

    def set_budget(
        self,
        limits: SetBudgetRequestLimits,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetBudgetData:
        """Changes limits of the session: given members replace, `null` removes."""
        data: SetBudgetData = self._call("set_budget", {"limits": limits}, deadline)
        return data

    def bash(
        self,
        command: str,
        *,
        exclude_from_context: Optional[bool] = None,
        timeout: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> BashData:
        """Runs a shell command and answers when it has ended; a non-zero exit code is a success."""
        data: BashData = self._call("bash", {"command": command, **given({"excludeFromContext": exclude_from_context, "timeout": timeout})}, deadline)
        return data

    def abort_bash(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Ends all running `bash` commands; each of them answers with `cancelled`."""
        self._call("abort_bash", {}, deadline)

    def set_approval_policy(
        self,
        *,
        mode: Optional[ApprovalMode] = None,
        rules: Optional[SetApprovalPolicyRequestRules] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetApprovalPolicyData:
        """Sets what becomes of effects that no rule speaks of, and the rules of the host."""
        data: SetApprovalPolicyData = self._call("set_approval_policy", given({"mode": mode, "rules": rules}), deadline)
        return data

    def approval_response(
        self,
        approval_id: str,
        *,
        decision: Optional[Any] = None,
        rule: Optional[Union[str, ApprovalRule]] = None,
        message: Optional[str] = None,
        args_hash: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> ApprovalResponseData:
        """Answers an `approval_request`. The response comes before anything follows from the answer."""
        data: ApprovalResponseData = self._call("approval_response", {"approvalId": approval_id, **given({"decision": decision, "rule": rule, "message": message, "argsHash": args_hash})}, deadline)
        return data

    def get_approvals(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetApprovalsData:
        """The questions that are open, as their `approval_request` frames have them."""
        data: GetApprovalsData = self._call("get_approvals", {}, deadline)
        return data

    def set_todos(
        self,
        phases: Sequence[TodoPhaseInput],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetTodosData:
        """Replaces the todo list; `[]` clears it. Returns the list as it is kept."""
        data: SetTodosData = self._call("set_todos", {"phases": phases}, deadline)
        return data

    def set_subagent_subscription(
        self,
        level: Literal["off", "progress", "events"],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetSubagentSubscriptionData:
        """Chooses how much is told of subagents: nothing more (`off`), their `progress`, or all their `events`, too."""
        data: SetSubagentSubscriptionData = self._call("set_subagent_subscription", {"level": level}, deadline)
        return data

    def get_subagents(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentsData:
        """The subagents that run, in the order of their start."""
        data: GetSubagentsData = self._call("get_subagents", {}, deadline)
        return data

    def get_subagent_messages(
        self,
        *,
        subagent_id: Optional[str] = None,
        session_file: Optional[str] = None,
        from_byte: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentMessagesData:
        """The transcript of a subagent of this session from a byte on, in whole lines, also after its end."""
        data: GetSubagentMessagesData = self._call("get_subagent_messages", given({"subagentId": subagent_id, "sessionFile": session_file, "fromByte": from_byte}), deadline)
        return data

    def cancel_subagent(
        self,
        subagent_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CancelSubagentData:
        """Ends a subagent and all below it, as `cancel` does; answers when they have ended."""
        data: CancelSubagentData = self._call("cancel_subagent", {"subagentId": subagent_id}, deadline)
        return data

    def steer_subagent(
        self,
        subagent_id: str,
        message: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Queues a message for the next model call of a subagent that runs."""
        self._call("steer_subagent", {"subagentId": subagent_id, "message": message}, deadline)

    def get_fibers(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetFibersData:
        """The tree of everything that runs in the session at this moment."""
        data: GetFibersData = self._call("get_fibers", {}, deadline)
        return data

    def cancel(
        self,
        target_id: Union[str, float],
        *,
        reason: Optional[str] = None,
        grace_ms: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> CancelData:
        """Ends a node of `get_fibers` and all nodes below it; answers when they have ended."""
        data: CancelData = self._call("cancel", {"targetId": target_id, **given({"reason": reason, "graceMs": grace_ms})}, deadline)
        return data

    def get_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetCommandsData:
        """The commands that a prompt can start with: those of extensions, then prompt templates, then skills."""
        data: GetCommandsData = self._call("get_commands", {}, deadline)
        return data

    def get_available_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableCommandsData:
        """The same in the form of the omp family. `available_commands_update` has it whenever it changes."""
        data: GetAvailableCommandsData = self._call("get_available_commands", {}, deadline)
        return data

    def set_locale(
        self,
        locale: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """The language of the user, for example `de` or `pt-BR`. It is kept; nothing depends on it yet."""
        self._call("set_locale", {"locale": locale}, deadline)

    def get_integrations(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetIntegrationsData:
        """Whether the selected model can be called. No other services are connected."""
        data: GetIntegrationsData = self._call("get_integrations", {}, deadline)
        return data

    def ping(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> PingData:
        """Answers at once."""
        data: PingData = self._call("ping", {}, deadline)
        return data

    def get_schema(
        self,
        *,
        part: Optional[Literal["commands", "events", "types", "all"]] = None,
        if_none_match: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSchemaData:
        """This reference as JSON Schema 2020-12, generated from the definitions that decode the input."""
        data: GetSchemaData = self._call("get_schema", given({"part": part, "ifNoneMatch": if_none_match}), deadline)
        return data

    def initialize(
        self,
        *,
        protocol_version: Optional[int] = None,
        client_info: Optional[InitializeRequestClientInfo] = None,
        capabilities: Optional[InitializeRequestCapabilities] = None,
        deadline: Deadline = DEFAULT,
    ) -> InitializeData:
        """Exchanges versions and capabilities; all members are optional. Send it once, best as the first command."""
        data: InitializeData = self._call("initialize", given({"protocolVersion": protocol_version, "clientInfo": client_info, "capabilities": capabilities}), deadline)
        return data

    def negotiate_protocol(
        self,
        protocol_version: float,
        *,
        deadline: Deadline = DEFAULT,
    ) -> NegotiateProtocolData:
        """Agrees on transport version 2 of the omp family: after the response, long frames come as `rpc_chunk`."""
        data: NegotiateProtocolData = self._call("negotiate_protocol", {"protocolVersion": protocol_version}, deadline)
        return data

    def set_event_filter(
        self,
        events: Any,
        *,
        message_updates: Optional[Literal["full", "delta"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventFilterData:
        """Chooses which session events are sent, by their types; `null` means all of them."""
        data: SetEventFilterData = self._call("set_event_filter", {"events": events, **given({"messageUpdates": message_updates})}, deadline)
        return data

    def set_event_options(
        self,
        *,
        updates: Optional[Literal["full", "delta"]] = None,
        extra: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventOptionsData:
        """Chooses the form of `message_update`: `full` repeats the whole message, `delta` sends increments only."""
        data: SetEventOptionsData = self._call("set_event_options", given({"updates": updates, "extra": extra}), deadline)
        return data
