/**
 * What a hook sees and may return.
 *
 * A script is the body of an async function: `return`, `await` and early return work at the top. It starts
 * afresh every time; nothing that it leaves behind is seen by another execution. There are no modules, no
 * files, no network and no timers. It may be written in TypeScript; its types are not checked.
 */

/** Anything that JSON can hold. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The request, the reply and what is known about them. */
declare const context: HookContext;

interface HookContext {
  /** The request on its way to the server. */
  request: {
    /** The MCP method, such as `tools/call`. */
    readonly method: HookMethod;
    /**
     * Its parameters; for `tools/call` `{name, arguments}`. In the pre phase changes in place count, and so
     * does another value assigned here.
     */
    params: { [key: string]: any };
  };
  /**
   * The result that goes back to the client; in the post phase only, and absent when the call failed.
   * Changes in place count, and so does another value assigned here.
   */
  response?: any;
  /** What is known about the request. Only `shared` can be changed. */
  readonly metadata: HookMetadata;
  /** The kind of request, in one word. */
  readonly requestType: HookRequestType;
  /** The tool, for `tools/call`, as its server calls it; `params.name` may have the name of the server before it. */
  readonly toolName?: string;
  /** The resource, for `resources/read`, as its server calls it; `params.uri` may have the name of the server before it. */
  readonly resourceUri?: string;
  /** The prompt, for `prompts/get`, as its server calls it; `params.name` may have the name of the server before it. */
  readonly promptName?: string;
  /** The server, where one is addressed. */
  readonly serverName?: string;
  /** The workflow, for a hook in a graph. */
  readonly workflowName?: string;
  /** The node, for a hook in a graph. */
  readonly nodeName?: string;
  /** The `data` of the node, for the script of a plug-in. */
  readonly data?: any;
  /** The results of earlier nodes by node id, for a hook in a graph. */
  readonly previousResults?: { readonly [nodeId: string]: any };
  /** The variables of the run, for a hook in a graph with `variable` nodes. Changes in place count. */
  variables?: { [name: string]: any };
}

interface HookMetadata {
  /** The client: the name of its key, its `X-Client-Id`, its own name, or `anonymous`. Never a token. */
  readonly clientId: string;
  /** The server, where one is addressed. */
  readonly serverName?: string;
  /** The id of that server, which is its name. */
  readonly serverId?: string;
  /** The workflow, for a hook in a graph. */
  readonly workflowId?: string;
  /** The node, for a hook in a graph. */
  readonly nodeId?: string;
  /** `workflow` when an activity of a workflow makes the call. */
  readonly origin?: string;
  /** The session of that workflow. */
  readonly sessionId?: string;
  /** When the request came, in milliseconds since 1970. */
  readonly startTime: number;
  /** How long the call took, in milliseconds; in the post phase. */
  readonly duration?: number;
  /** Whether the reply was kept from an earlier call; after a call node with `cache` or `retry`. */
  readonly cached?: boolean;
  /** How often the server was asked; after a call node with `cache` or `retry`. */
  readonly attempts?: number;
  /** Why the call failed; in the post phase, when it did. */
  readonly error?: any;
  /** Scratch space for the hooks of one request, and for nothing else. Holds JSON. */
  shared: { [key: string]: any };
}

type HookMethod =
  | "tools/call"
  | "tools/list"
  | "resources/read"
  | "resources/list"
  | "resources/templates/list"
  | "prompts/get"
  | "prompts/list";

type HookRequestType =
  | "CallTool"
  | "ListTools"
  | "ReadResource"
  | "ListResources"
  | "ListResourceTemplates"
  | "GetPrompt"
  | "ListPrompts";

/** What a script returns. Every part is optional, and to return nothing is to go on. */
interface HookVerdict {
  /**
   * `true`, or left out: go on. `false`: block, unless a pre hook gives a `response` and no `error`; then
   * that is the reply, and the remaining pre hooks are passed over.
   */
  continue?: boolean;
  /** Replaces the context: `request.params` in the pre phase, `response` in the post phase, `metadata.shared`. */
  context?: {
    request?: { params?: { [key: string]: any }; [key: string]: any };
    response?: any;
    metadata?: { shared?: { [key: string]: any }; [key: string]: any };
    [key: string]: any;
  };
  /** Pre phase: the reply; the server is not called. Post phase: takes the place of the reply. */
  response?: any;
  /** Why the hook blocks; the client is told. */
  error?: { code?: Json; message?: string };
}

/** Waits, at most 5000 ms. The time counts towards `hooks.timeoutMs`. */
declare function sleep(ms: number): Promise<void>;

/** Tells whether a token is one of the gateway's keys. */
declare function validateToken(token: string): boolean;

/** What the gateway knows of a server; `null` for an unknown one. Never its command, environment or address. */
declare function getServerInfo(serverId: string): HookServerInfo | null;

interface HookServerInfo {
  /** The id, which is the name. */
  readonly id: string;
  /** The name. */
  readonly name: string;
  /** How it is reached. */
  readonly type: string;
  /** Its state. */
  readonly status: "starting" | "running" | "restarting" | "stopped" | "crashed";
  /** Whether it is in use. */
  readonly enabled: boolean;
}

/** Names of patterns that `redact` knows. */
type HookPattern = "email" | "creditCard" | "jwt" | "apiKey" | "ipAddress";

/**
 * Replaces every match in a text, or in a copy of a JSON value: in its texts and in the names of members. A number
 * that matches becomes the replacement.
 *
 * @param value A text, or a JSON value; it is not changed.
 * @param patterns Names, regular expressions as text or RegExp, or an array of these; all names by default, none in an
 *   empty array.
 *   They run on an engine that takes time in proportion to the text: no look-around, no back-references.
 * @param replacement `"[redacted]"` by default; taken as it is.
 */
declare function redact<T>(
  value: T,
  patterns?: HookPattern | string | RegExp | (HookPattern | string | RegExp)[],
  replacement?: string,
): T;

/** Writes to the log of the gateway, with the name of the hook. */
declare const console: {
  /** Writes at level `info`. */
  log(...values: any[]): void;
  /** Writes at level `debug`. */
  debug(...values: any[]): void;
  /** Writes at level `info`. */
  info(...values: any[]): void;
  /** Writes at level `warn`. */
  warn(...values: any[]): void;
  /** Writes at level `error`. */
  error(...values: any[]): void;
  /** Writes at level `debug`; there is no stack in it. */
  trace(...values: any[]): void;
  /** Writes at level `error` when the condition does not hold. */
  assert(condition?: any, ...values: any[]): void;
  /** These write their values at level `info`, as `log` does. */
  table(...values: any[]): void;
  dir(...values: any[]): void;
  group(...values: any[]): void;
  groupCollapsed(...values: any[]): void;
  groupEnd(...values: any[]): void;
  count(...values: any[]): void;
  countReset(...values: any[]): void;
  time(...values: any[]): void;
  timeLog(...values: any[]): void;
  timeEnd(...values: any[]): void;
};
