export { createApprovals } from './approvals/create-approvals.ts';
export type { ApprovalEvent, Approvals, ApprovalsOptions } from './approvals/create-approvals.ts';
export { createMemoryApprovalStore } from './approvals/memory-approval-store.ts';
export type {
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalRule,
  ApprovalStore,
  Decision,
  Grant,
  StoredApproval,
} from './approvals/approval.ts';
export { connectMcpServers } from './mcp/connect-mcp-servers.ts';
export type { McpServers, McpServerStatus } from './mcp/connect-mcp-servers.ts';
export { mcpServerConfig } from './mcp/mcp-server-config.ts';
export type { McpAddress, McpProgram, McpServerConfig } from './mcp/mcp-server-config.ts';
export { createBuiltInTools } from './tools/built-in-tools.ts';
export type { BuiltInToolOptions } from './tools/built-in-tools.ts';
export { defineTool } from './tools/define-tool.ts';
export type { ConvertingToolDefinition, ToolDefinition } from './tools/define-tool.ts';
export { executeCalls } from './tools/execute-calls.ts';
export type { ExecutedCalls } from './tools/execute-calls.ts';
export type { CallResult, ExecuteContext, ToolEvent, ToolState } from './tools/execute-context.ts';
export { openWorkspace } from './tools/files/workspace.ts';
export type { Place, Workspace } from './tools/files/workspace.ts';
export { findImitation } from './tools/find-imitation.ts';
export { recallFromTranscript } from './tools/recall-from-transcript.ts';
export type {
  OutputStore,
  RecalledText,
  RecallHit,
  RecallSource,
  SessionAccess,
  Todo,
  TodoStore,
  WholeOutput,
} from './tools/session-access.ts';
export type { BashOptions } from './tools/shell/bash-tool.ts';
export { describeSandbox, detectSandbox } from './tools/shell/sandbox.ts';
export type { Sandbox, SandboxOptions } from './tools/shell/sandbox.ts';
export type {
  BadInput,
  PreparedCall,
  ResultContent,
  Tool,
  ToolCall,
  ToolContext,
  ToolReply,
  Touches,
} from './tools/tool.ts';
