/**
 * Replaces the declarations of `hono/ws`, which need the DOM's types. The repository compiles without those and uses no
 * WebSocket, but `@hono/node-server` mentions this type.
 */
export type UpgradeWebSocket<T = unknown, U = unknown> = (createEvents: T, options?: U) => unknown
