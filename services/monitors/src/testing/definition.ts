import type { Definition } from "../monitors/monitor.ts";

/** A monitor of a minute with one retry. */
export const definition: Definition = {
  name: "watched",
  url: "https://example.com/",
  method: "GET",
  intervalMs: 60_000,
  timeoutMs: 10_000,
  expectedStatus: "200",
  headers: [],
  body: null,
  followRedirects: true,
  verifyTls: true,
  retries: 1,
  assertions: [],
  tags: [],
  locations: ["default"],
};
