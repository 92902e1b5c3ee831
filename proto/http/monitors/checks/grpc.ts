import { linePattern, trimmedLine } from "../../text.ts";
import { host, hostAndPort, port, tlsFields } from "./fields.ts";
import { kind } from "./kind.ts";

/** Checks that a gRPC server reports SERVING (grpc.health.v1). */
export const grpc = kind({
  type: "grpc",
  fields: {
    host,
    port,
    service: trimmedLine().min(1, "Please enter text").max(200).optional().meta({
      pattern: linePattern,
      description: "Service to check, such as `shop.v1.Orders`; if empty, the server as a whole.",
    }),
    ...tlsFields,
  },
  target: ({ host: server, port: at, service }) =>
    `grpc://${hostAndPort(server, at)}${service === undefined ? "" : `/${service}`}`,
  hosts: (check) => [{ path: "host", value: check.host }],
});
