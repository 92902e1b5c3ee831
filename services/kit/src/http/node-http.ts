/**
 * `node:http` without its lazy exports. An `import` of it reads every one, and the one of WebSocket loads undici:
 * 12 MiB in each process, for what nobody here uses.
 */
export const { Agent, createServer, request } = process.getBuiltinModule("node:http");
