import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { Definition } from "../monitors/monitor.ts";

export const httpCheck: CheckOf<"http"> = {
  type: "http",
  url: "https://example.com/",
  method: "GET",
  expectedStatus: 200,
  headers: [],
  followRedirects: true,
  verifyTls: true,
  assertions: [],
};

export const definition: Definition = {
  name: "watched",
  config: httpCheck,
  intervalMs: 60_000,
  timeoutMs: 10_000,
  retries: 1,
  recoverAfter: 1,
  tags: [],
  locations: ["default"],
  dependsOn: [],
  note: "",
  keepBody: true,
  description: "",
};
