/** An `import` evaluates lazy exports, and `WebSocket` loads undici, which wastes 4 MiB per process. */
export const { Agent, createServer, request } = process.getBuiltinModule("node:http");
