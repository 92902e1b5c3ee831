/**
 * `node:http` without its lazy exports. An `import` evaluates all of them, and `WebSocket` loads undici: 4 MiB in each
 * process, unused.
 */
export const { Agent, createServer, request } = process.getBuiltinModule("node:http");
