/**
 * Stands for `hono/ws` while types are checked: its own declarations need the DOM's, which the repository compiles
 * without, and nothing here speaks WebSocket. `@hono/node-server` names this one type of it.
 */
export type UpgradeWebSocket<T = unknown, U = unknown> = (createEvents: T, options?: U) => unknown
