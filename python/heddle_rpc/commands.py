"""A method for each command. Written by `npm run docs` from docs/rpc.schema.json: do not edit."""

from __future__ import annotations

from typing import Any, Dict, Literal, Optional, Sequence, Union

from .deadlines import DEFAULT, Deadline
from .protocol import (
    AbortAndPromptData,
    AbortData,
    AbortQueue,
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
        return await self._call("prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id, "attachments": attachments, "streamingBehavior": streaming_behavior})}, deadline)

    async def steer(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SteerData:
        """Queues a message for the next model call of the active run; in `immediate` mode the remaining tool calls are skipped."""
        return await self._call("steer", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)

    async def follow_up(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> FollowUpData:
        """Queues a message for when the model would stop."""
        return await self._call("follow_up", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)

    async def abort(
        self,
        *,
        queue: Optional[AbortQueue] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortData:
        """Stops the active run and answers after its `agent_end`; succeeds also when nothing runs."""
        return await self._call("abort", given({"queue": queue}), deadline)

    async def abort_and_prompt(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortAndPromptData:
        """Stops the active run, then sends a user message."""
        return await self._call("abort_and_prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)

    async def clear_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> ClearQueueData:
        """Empties the queue and answers with its texts; queued prompts end as aborted."""
        return await self._call("clear_queue", {}, deadline)

    async def get_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetQueueData:
        """The queue in the order of delivery: steering, then follow-ups, then what waits for the next prompt."""
        return await self._call("get_queue", {}, deadline)

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
        return await self._call("edit_queued_message", {"messageId": message_id, **given({"message": message, "images": images, "expectedRevision": expected_revision})}, deadline)

    async def remove_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        queue: Optional[Literal["steering", "followUp"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> RemoveQueuedMessageData:
        """Takes one message out of the queue: by `messageId`, or the first of a `queue` with the text `message`."""
        return await self._call("remove_queued_message", given({"messageId": message_id, "message": message, "queue": queue}), deadline)

    async def promote_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        to: Optional[Literal["steering", "front"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> PromoteQueuedMessageData:
        """Moves a queued message to the end of steering, or to the front of the queue it is in."""
        return await self._call("promote_queued_message", given({"messageId": message_id, "message": message, "to": to}), deadline)

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
        return await self._call("get_state", given({"verbose": verbose}), deadline)

    async def get_messages(
        self,
        *,
        after_entry_id: Optional[str] = None,
        limit: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesData:
        """The messages of the conversation, oldest first."""
        return await self._call("get_messages", given({"afterEntryId": after_entry_id, "limit": limit}), deadline)

    async def get_messages_page(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesPageData:
        """The messages of the conversation in pages of at most `limit` (1 to 256, 100 unless given) and 768 KiB."""
        return await self._call("get_messages_page", given({"cursor": cursor, "limit": limit}), deadline)

    async def get_last_assistant_text(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetLastAssistantTextData:
        """Text of the newest assistant message; `null` when there is none."""
        return await self._call("get_last_assistant_text", {}, deadline)

    async def new_session(
        self,
        *,
        parent_session: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> NewSessionData:
        """Opens an empty session."""
        return await self._call("new_session", given({"parentSession": parent_session}), deadline)

    async def switch_session(
        self,
        session_path: str,
        *,
        provider: Optional[str] = None,
        model_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SwitchSessionData:
        """Opens another session, by path, id, or the beginning of an id."""
        return await self._call("switch_session", {"sessionPath": session_path, **given({"provider": provider, "modelId": model_id})}, deadline)

    async def branch(
        self,
        entry_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> BranchData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        return await self._call("branch", {"entryId": entry_id}, deadline)

    async def fork(
        self,
        entry_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> ForkData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        return await self._call("fork", {"entryId": entry_id}, deadline)

    async def clone(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CloneData:
        """Opens a copy of the active branch as a new session."""
        return await self._call("clone", {}, deadline)

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
        return await self._call("open_session", given({"sessionDir": session_dir, "parallel": parallel, "provider": provider, "modelId": model_id}), deadline)

    async def get_entries(
        self,
        *,
        since: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetEntriesData:
        """Every entry of the session in the order in which they were stored, or those after `since`."""
        return await self._call("get_entries", given({"since": since}), deadline)

    async def get_tree(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetTreeData:
        """The entries of the session, each with its children."""
        return await self._call("get_tree", {}, deadline)

    async def navigate_tree(
        self,
        entry_id: str,
        *,
        summarize: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> NavigateTreeData:
        """Moves the leaf to another entry of the session, where the conversation then continues."""
        return await self._call("navigate_tree", {"entryId": entry_id, **given({"summarize": summarize})}, deadline)

    async def get_branch_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetBranchMessagesData:
        """The messages of the user that `branch` takes, oldest first."""
        return await self._call("get_branch_messages", {}, deadline)

    async def get_fork_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetForkMessagesData:
        """The messages of the user that `fork` takes, oldest first."""
        return await self._call("get_fork_messages", {}, deadline)

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
        return await self._call("get_session_stats", {}, deadline)

    async def export_html(
        self,
        *,
        output_path: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> ExportHtmlData:
        """Writes the session into one self-contained HTML file and answers its absolute path."""
        return await self._call("export_html", given({"outputPath": output_path}), deadline)

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
        return await self._call("list_sessions", given({"scope": scope, "cwd": cwd, "query": query, "cursor": cursor, "limit": limit}), deadline)

    async def set_model(
        self,
        provider: str,
        model_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetModelData:
        """Switches the model from the next model call on, also inside a run; the thinking level is clamped to it."""
        return await self._call("set_model", {"provider": provider, "modelId": model_id}, deadline)

    async def cycle_model(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CycleModelData:
        """Switches to the next model of the scoped list, or of all available ones; `null` when there are fewer than two."""
        return await self._call("cycle_model", {}, deadline)

    async def get_available_models(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableModelsData:
        """Models whose provider has credentials or needs none."""
        return await self._call("get_available_models", {}, deadline)

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
        return await self._call("cycle_thinking_level", {}, deadline)

    async def get_available_thinking_levels(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableThinkingLevelsData:
        """The levels the current model supports, `off` first."""
        return await self._call("get_available_thinking_levels", {}, deadline)

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
        return await self._call("compact", given({"customInstructions": custom_instructions, "resume": resume}), deadline)

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
        return await self._call("get_budget", {}, deadline)

    async def set_budget(
        self,
        limits: SetBudgetRequestLimits,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetBudgetData:
        """Changes limits of the session: given members replace, `null` removes."""
        return await self._call("set_budget", {"limits": limits}, deadline)

    async def bash(
        self,
        command: str,
        *,
        exclude_from_context: Optional[bool] = None,
        timeout: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> BashData:
        """Runs a shell command and answers when it has ended; a non-zero exit code is a success."""
        return await self._call("bash", {"command": command, **given({"excludeFromContext": exclude_from_context, "timeout": timeout})}, deadline)

    async def abort_bash(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Ends all running `bash` commands; each of them answers with `cancelled`."""
        await self._call("abort_bash", {}, deadline)

    async def set_todos(
        self,
        phases: Sequence[TodoPhaseInput],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetTodosData:
        """Replaces the todo list; `[]` clears it. Returns the list as it is kept."""
        return await self._call("set_todos", {"phases": phases}, deadline)

    async def set_subagent_subscription(
        self,
        level: Literal["off", "progress", "events"],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetSubagentSubscriptionData:
        """Chooses how much is told of subagents: nothing more (`off`), their `progress`, or all their `events`, too."""
        return await self._call("set_subagent_subscription", {"level": level}, deadline)

    async def get_subagents(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentsData:
        """The subagents that run, in the order of their start."""
        return await self._call("get_subagents", {}, deadline)

    async def get_subagent_messages(
        self,
        *,
        subagent_id: Optional[str] = None,
        session_file: Optional[str] = None,
        from_byte: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentMessagesData:
        """The transcript of a subagent of this session from a byte on, in whole lines, also after its end."""
        return await self._call("get_subagent_messages", given({"subagentId": subagent_id, "sessionFile": session_file, "fromByte": from_byte}), deadline)

    async def cancel_subagent(
        self,
        subagent_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CancelSubagentData:
        """Ends a subagent and all below it, as `cancel` does; answers when they have ended."""
        return await self._call("cancel_subagent", {"subagentId": subagent_id}, deadline)

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
        return await self._call("get_fibers", {}, deadline)

    async def cancel(
        self,
        target_id: Union[str, float],
        *,
        reason: Optional[str] = None,
        grace_ms: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> CancelData:
        """Ends a node of `get_fibers` and all nodes below it; answers when they have ended."""
        return await self._call("cancel", {"targetId": target_id, **given({"reason": reason, "graceMs": grace_ms})}, deadline)

    async def get_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetCommandsData:
        """The commands that a prompt can start with: those of extensions, then prompt templates, then skills."""
        return await self._call("get_commands", {}, deadline)

    async def get_available_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableCommandsData:
        """The same in the form of the omp family. `available_commands_update` has it whenever it changes."""
        return await self._call("get_available_commands", {}, deadline)

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
        return await self._call("get_integrations", {}, deadline)

    async def ping(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> PingData:
        """Answers at once."""
        return await self._call("ping", {}, deadline)

    async def get_schema(
        self,
        *,
        part: Optional[Literal["commands", "events", "types", "all"]] = None,
        if_none_match: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSchemaData:
        """This reference as JSON Schema 2020-12, generated from the definitions that decode the input."""
        return await self._call("get_schema", given({"part": part, "ifNoneMatch": if_none_match}), deadline)

    async def initialize(
        self,
        *,
        protocol_version: Optional[int] = None,
        client_info: Optional[InitializeRequestClientInfo] = None,
        capabilities: Optional[InitializeRequestCapabilities] = None,
        deadline: Deadline = DEFAULT,
    ) -> InitializeData:
        """Exchanges versions and capabilities; all members are optional. Send it once, best as the first command."""
        return await self._call("initialize", given({"protocolVersion": protocol_version, "clientInfo": client_info, "capabilities": capabilities}), deadline)

    async def negotiate_protocol(
        self,
        protocol_version: float,
        *,
        deadline: Deadline = DEFAULT,
    ) -> NegotiateProtocolData:
        """Agrees on the transport version of the omp family. Frames are sent whole: chunks are not supported yet."""
        return await self._call("negotiate_protocol", {"protocolVersion": protocol_version}, deadline)

    async def set_event_filter(
        self,
        events: Any,
        *,
        message_updates: Optional[Literal["full", "delta"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventFilterData:
        """Chooses which session events are sent, by their types; `null` means all of them."""
        return await self._call("set_event_filter", {"events": events, **given({"messageUpdates": message_updates})}, deadline)

    async def set_event_options(
        self,
        *,
        updates: Optional[Literal["full", "delta"]] = None,
        extra: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventOptionsData:
        """Chooses the form of `message_update`: `full` repeats the whole message, `delta` sends increments only."""
        return await self._call("set_event_options", given({"updates": updates, "extra": extra}), deadline)


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
        return self._call("prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id, "attachments": attachments, "streamingBehavior": streaming_behavior})}, deadline)

    def steer(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SteerData:
        """Queues a message for the next model call of the active run; in `immediate` mode the remaining tool calls are skipped."""
        return self._call("steer", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)

    def follow_up(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> FollowUpData:
        """Queues a message for when the model would stop."""
        return self._call("follow_up", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)

    def abort(
        self,
        *,
        queue: Optional[AbortQueue] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortData:
        """Stops the active run and answers after its `agent_end`; succeeds also when nothing runs."""
        return self._call("abort", given({"queue": queue}), deadline)

    def abort_and_prompt(
        self,
        message: str,
        *,
        images: Optional[Sequence[ImageContent]] = None,
        client_message_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> AbortAndPromptData:
        """Stops the active run, then sends a user message."""
        return self._call("abort_and_prompt", {"message": message, **given({"images": images, "clientMessageId": client_message_id})}, deadline)

    def clear_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> ClearQueueData:
        """Empties the queue and answers with its texts; queued prompts end as aborted."""
        return self._call("clear_queue", {}, deadline)

    def get_queue(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetQueueData:
        """The queue in the order of delivery: steering, then follow-ups, then what waits for the next prompt."""
        return self._call("get_queue", {}, deadline)

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
        return self._call("edit_queued_message", {"messageId": message_id, **given({"message": message, "images": images, "expectedRevision": expected_revision})}, deadline)

    def remove_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        queue: Optional[Literal["steering", "followUp"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> RemoveQueuedMessageData:
        """Takes one message out of the queue: by `messageId`, or the first of a `queue` with the text `message`."""
        return self._call("remove_queued_message", given({"messageId": message_id, "message": message, "queue": queue}), deadline)

    def promote_queued_message(
        self,
        *,
        message_id: Optional[str] = None,
        message: Optional[str] = None,
        to: Optional[Literal["steering", "front"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> PromoteQueuedMessageData:
        """Moves a queued message to the end of steering, or to the front of the queue it is in."""
        return self._call("promote_queued_message", given({"messageId": message_id, "message": message, "to": to}), deadline)

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
        return self._call("get_state", given({"verbose": verbose}), deadline)

    def get_messages(
        self,
        *,
        after_entry_id: Optional[str] = None,
        limit: Optional[int] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesData:
        """The messages of the conversation, oldest first."""
        return self._call("get_messages", given({"afterEntryId": after_entry_id, "limit": limit}), deadline)

    def get_messages_page(
        self,
        *,
        cursor: Optional[str] = None,
        limit: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetMessagesPageData:
        """The messages of the conversation in pages of at most `limit` (1 to 256, 100 unless given) and 768 KiB."""
        return self._call("get_messages_page", given({"cursor": cursor, "limit": limit}), deadline)

    def get_last_assistant_text(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetLastAssistantTextData:
        """Text of the newest assistant message; `null` when there is none."""
        return self._call("get_last_assistant_text", {}, deadline)

    def new_session(
        self,
        *,
        parent_session: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> NewSessionData:
        """Opens an empty session."""
        return self._call("new_session", given({"parentSession": parent_session}), deadline)

    def switch_session(
        self,
        session_path: str,
        *,
        provider: Optional[str] = None,
        model_id: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> SwitchSessionData:
        """Opens another session, by path, id, or the beginning of an id."""
        return self._call("switch_session", {"sessionPath": session_path, **given({"provider": provider, "modelId": model_id})}, deadline)

    def branch(
        self,
        entry_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> BranchData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        return self._call("branch", {"entryId": entry_id}, deadline)

    def fork(
        self,
        entry_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> ForkData:
        """Opens a copy of the session that ends before a user message; `text` is that message."""
        return self._call("fork", {"entryId": entry_id}, deadline)

    def clone(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CloneData:
        """Opens a copy of the active branch as a new session."""
        return self._call("clone", {}, deadline)

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
        return self._call("open_session", given({"sessionDir": session_dir, "parallel": parallel, "provider": provider, "modelId": model_id}), deadline)

    def get_entries(
        self,
        *,
        since: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetEntriesData:
        """Every entry of the session in the order in which they were stored, or those after `since`."""
        return self._call("get_entries", given({"since": since}), deadline)

    def get_tree(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetTreeData:
        """The entries of the session, each with its children."""
        return self._call("get_tree", {}, deadline)

    def navigate_tree(
        self,
        entry_id: str,
        *,
        summarize: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> NavigateTreeData:
        """Moves the leaf to another entry of the session, where the conversation then continues."""
        return self._call("navigate_tree", {"entryId": entry_id, **given({"summarize": summarize})}, deadline)

    def get_branch_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetBranchMessagesData:
        """The messages of the user that `branch` takes, oldest first."""
        return self._call("get_branch_messages", {}, deadline)

    def get_fork_messages(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetForkMessagesData:
        """The messages of the user that `fork` takes, oldest first."""
        return self._call("get_fork_messages", {}, deadline)

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
        return self._call("get_session_stats", {}, deadline)

    def export_html(
        self,
        *,
        output_path: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> ExportHtmlData:
        """Writes the session into one self-contained HTML file and answers its absolute path."""
        return self._call("export_html", given({"outputPath": output_path}), deadline)

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
        return self._call("list_sessions", given({"scope": scope, "cwd": cwd, "query": query, "cursor": cursor, "limit": limit}), deadline)

    def set_model(
        self,
        provider: str,
        model_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetModelData:
        """Switches the model from the next model call on, also inside a run; the thinking level is clamped to it."""
        return self._call("set_model", {"provider": provider, "modelId": model_id}, deadline)

    def cycle_model(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CycleModelData:
        """Switches to the next model of the scoped list, or of all available ones; `null` when there are fewer than two."""
        return self._call("cycle_model", {}, deadline)

    def get_available_models(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableModelsData:
        """Models whose provider has credentials or needs none."""
        return self._call("get_available_models", {}, deadline)

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
        return self._call("cycle_thinking_level", {}, deadline)

    def get_available_thinking_levels(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableThinkingLevelsData:
        """The levels the current model supports, `off` first."""
        return self._call("get_available_thinking_levels", {}, deadline)

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
        return self._call("compact", given({"customInstructions": custom_instructions, "resume": resume}), deadline)

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
        return self._call("get_budget", {}, deadline)

    def set_budget(
        self,
        limits: SetBudgetRequestLimits,
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetBudgetData:
        """Changes limits of the session: given members replace, `null` removes."""
        return self._call("set_budget", {"limits": limits}, deadline)

    def bash(
        self,
        command: str,
        *,
        exclude_from_context: Optional[bool] = None,
        timeout: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> BashData:
        """Runs a shell command and answers when it has ended; a non-zero exit code is a success."""
        return self._call("bash", {"command": command, **given({"excludeFromContext": exclude_from_context, "timeout": timeout})}, deadline)

    def abort_bash(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> None:
        """Ends all running `bash` commands; each of them answers with `cancelled`."""
        self._call("abort_bash", {}, deadline)

    def set_todos(
        self,
        phases: Sequence[TodoPhaseInput],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetTodosData:
        """Replaces the todo list; `[]` clears it. Returns the list as it is kept."""
        return self._call("set_todos", {"phases": phases}, deadline)

    def set_subagent_subscription(
        self,
        level: Literal["off", "progress", "events"],
        *,
        deadline: Deadline = DEFAULT,
    ) -> SetSubagentSubscriptionData:
        """Chooses how much is told of subagents: nothing more (`off`), their `progress`, or all their `events`, too."""
        return self._call("set_subagent_subscription", {"level": level}, deadline)

    def get_subagents(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentsData:
        """The subagents that run, in the order of their start."""
        return self._call("get_subagents", {}, deadline)

    def get_subagent_messages(
        self,
        *,
        subagent_id: Optional[str] = None,
        session_file: Optional[str] = None,
        from_byte: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSubagentMessagesData:
        """The transcript of a subagent of this session from a byte on, in whole lines, also after its end."""
        return self._call("get_subagent_messages", given({"subagentId": subagent_id, "sessionFile": session_file, "fromByte": from_byte}), deadline)

    def cancel_subagent(
        self,
        subagent_id: str,
        *,
        deadline: Deadline = DEFAULT,
    ) -> CancelSubagentData:
        """Ends a subagent and all below it, as `cancel` does; answers when they have ended."""
        return self._call("cancel_subagent", {"subagentId": subagent_id}, deadline)

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
        return self._call("get_fibers", {}, deadline)

    def cancel(
        self,
        target_id: Union[str, float],
        *,
        reason: Optional[str] = None,
        grace_ms: Optional[float] = None,
        deadline: Deadline = DEFAULT,
    ) -> CancelData:
        """Ends a node of `get_fibers` and all nodes below it; answers when they have ended."""
        return self._call("cancel", {"targetId": target_id, **given({"reason": reason, "graceMs": grace_ms})}, deadline)

    def get_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetCommandsData:
        """The commands that a prompt can start with: those of extensions, then prompt templates, then skills."""
        return self._call("get_commands", {}, deadline)

    def get_available_commands(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> GetAvailableCommandsData:
        """The same in the form of the omp family. `available_commands_update` has it whenever it changes."""
        return self._call("get_available_commands", {}, deadline)

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
        return self._call("get_integrations", {}, deadline)

    def ping(
        self,
        *,
        deadline: Deadline = DEFAULT,
    ) -> PingData:
        """Answers at once."""
        return self._call("ping", {}, deadline)

    def get_schema(
        self,
        *,
        part: Optional[Literal["commands", "events", "types", "all"]] = None,
        if_none_match: Optional[str] = None,
        deadline: Deadline = DEFAULT,
    ) -> GetSchemaData:
        """This reference as JSON Schema 2020-12, generated from the definitions that decode the input."""
        return self._call("get_schema", given({"part": part, "ifNoneMatch": if_none_match}), deadline)

    def initialize(
        self,
        *,
        protocol_version: Optional[int] = None,
        client_info: Optional[InitializeRequestClientInfo] = None,
        capabilities: Optional[InitializeRequestCapabilities] = None,
        deadline: Deadline = DEFAULT,
    ) -> InitializeData:
        """Exchanges versions and capabilities; all members are optional. Send it once, best as the first command."""
        return self._call("initialize", given({"protocolVersion": protocol_version, "clientInfo": client_info, "capabilities": capabilities}), deadline)

    def negotiate_protocol(
        self,
        protocol_version: float,
        *,
        deadline: Deadline = DEFAULT,
    ) -> NegotiateProtocolData:
        """Agrees on the transport version of the omp family. Frames are sent whole: chunks are not supported yet."""
        return self._call("negotiate_protocol", {"protocolVersion": protocol_version}, deadline)

    def set_event_filter(
        self,
        events: Any,
        *,
        message_updates: Optional[Literal["full", "delta"]] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventFilterData:
        """Chooses which session events are sent, by their types; `null` means all of them."""
        return self._call("set_event_filter", {"events": events, **given({"messageUpdates": message_updates})}, deadline)

    def set_event_options(
        self,
        *,
        updates: Optional[Literal["full", "delta"]] = None,
        extra: Optional[bool] = None,
        deadline: Deadline = DEFAULT,
    ) -> SetEventOptionsData:
        """Chooses the form of `message_update`: `full` repeats the whole message, `delta` sends increments only."""
        return self._call("set_event_options", given({"updates": updates, "extra": extra}), deadline)
