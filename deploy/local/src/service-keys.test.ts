import { deriveKeys, keyVariables, keyVariablesOf } from "@sonde/kit/secret-keys";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { variablesOf } from "@sonde/kit/service/config";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cloneDir } from "./clone.ts";
import { loadConfigModule } from "./supervisor/processes.ts";

type Context = keyof typeof secretContexts;

/** Contexts in which each service may seal, open or create tokens, as described in SECURITY.md. */
const opens: Record<ServiceName, Context[]> = {
  auth: ["oidcClient", "oidcToken", "totp"],
  monitors: ["check"],
  "agent-ingest": [],
  gateway: [],
  "probe-runner": ["check"],
  metrics: [],
  notifier: ["acknowledgeLink", "channel"],
  "status-page": ["confirmation", "unsubscription"],
};
const contexts = Object.keys(secretContexts) as Context[];

test.each(serviceNames)("%s reads only its own keys, which open only its own contexts", async (name) => {
  const read = variablesOf((await loadConfigModule(name)).schema);
  expect(read).not.toContain("SONDE_SECRET_KEY");
  expect(read.filter((variable) => variable.startsWith("SONDE_KEY_")).toSorted()).toEqual(
    keyVariablesOf(name).toSorted(),
  );

  const all = deriveKeys(randomBytes(32).toString("base64"));
  const own = secretBox(Object.fromEntries(keyVariablesOf(name).map((variable) => [variable, all[variable]])));
  const opened = contexts.filter((context) => {
    const sealed = secretBox(all).seal("canary", secretContexts[context]);
    try {
      return own.open(sealed, secretContexts[context]) === "canary";
    } catch {
      return false;
    }
  });
  expect(opened.toSorted()).toEqual(opens[name].toSorted());
});

test("SECURITY.md lists the keys of each service", async () => {
  const text = await readFile(join(cloneDir, "SECURITY.md"), "utf8");
  const rows = new Map(
    [...text.matchAll(/^\| `([\w-]+)` \|([^|]*)\|/gm)].map(([, name = "", keys = ""]) => [
      name,
      [...keys.matchAll(/`(\w+)`/g)].map(([, key]) => `SONDE_KEY_${key?.toUpperCase()}`),
    ]),
  );
  for (const name of serviceNames) expect([name, rows.get(name)]).toEqual([name, keyVariablesOf(name)]);
  expect(keyVariables.filter((variable) => ![...rows.values()].flat().includes(variable))).toEqual([]);
});
