import { defaultsOf } from "@sonde/proto/http/monitors/checks/kind";
import { kindOf, type ProbedType, probedTypes } from "@sonde/proto/http/monitors/kinds";
import { describe, expect, it } from "vitest";
import { probe as dns } from "./kinds/dns.ts";
import { probe as domain } from "./kinds/domain.ts";
import { probe as flow } from "./kinds/flow.ts";
import { probe as grpc } from "./kinds/grpc.ts";
import { probe as http } from "./kinds/http.ts";
import { probe as icmp } from "./kinds/icmp.ts";
import { probe as mail } from "./kinds/mail.ts";
import { probe as mysql } from "./kinds/mysql.ts";
import { probe as ntp } from "./kinds/ntp.ts";
import { probe as postgres } from "./kinds/postgres.ts";
import { probe as redis } from "./kinds/redis.ts";
import { probe as tcp } from "./kinds/tcp.ts";
import { probe as tls } from "./kinds/tls.ts";
import { probe as websocket } from "./kinds/websocket.ts";
import type { AnyTarget, Probe } from "./probe.ts";
import { loadProbe } from "./probes.ts";

// Makes the type check fail as well if a kind's probe is missing or belongs to another kind.
type Probes = { [Type in ProbedType]: Probe<Type, AnyTarget<Type>> };
const probes: Probes = { http, flow, tcp, dns, tls, icmp, domain, ntp, websocket, grpc, mail, postgres, mysql, redis };

const values: Record<string, unknown> = {
  url: "https://a.example/",
  host: "192.0.2.1",
  port: 1,
  domain: "a.example",
  recordType: "A",
  protocol: "smtp",
  username: "sonde",
  steps: [],
};

describe("a probe", () => {
  it.each(probedTypes)("for %s uses each field of its kind", (type) => {
    const fields = Object.keys(kindOf(type).fields);
    const unused = new Set(fields);
    const check = {
      ...Object.fromEntries(fields.map((name) => [name, values[name]])),
      ...defaultsOf(kindOf(type).fields),
    };
    const watched = new Proxy(check, {
      get: (target, name) => {
        unused.delete(String(name));
        return Reflect.get(target, name) as unknown;
      },
    });
    (probes[type] as Probe<typeof type, AnyTarget<typeof type>>).compile(watched as never);
    // Read by the shared code.
    unused.delete("invert");
    expect([...unused]).toEqual([]);
  });
});

describe("loadProbe", () => {
  it.each(probedTypes)("finds the probe for %s by its name", async (type) => {
    expect(await loadProbe(type)).toBe(probes[type]);
  });

  it("reports which file of a kind is missing", async () => {
    await expect(loadProbe("unknown")).rejects.toThrow("probe/kinds/unknown.ts does not load");
  });

  it.each([{}, { probe: undefined }, { probe: { compile: () => undefined } }])(
    "reports what a file that exports %o should export",
    async (exported) => {
      await expect(loadProbe("unknown", async () => exported)).rejects.toThrow(
        "exports no `probe` with compile and run",
      );
    },
  );
});
