import { join } from "node:path";
import { probedTypes } from "@sonde/proto/http/monitors/kinds";
import { databaseServices, serviceNames } from "@sonde/proto/services";
import { expect, test } from "vitest";
import { rewriteChoices } from "./choices.ts";
import { root } from "./packages.ts";

const imported = (text: string) => new Set([...text.matchAll(/import\("([^"]+)"\)/g)].map(([, name]) => name));

test("an import of a module by name covers all modules in the folder except tests", () => {
  const file = join(root, "services/probe-runner/src/probe/probes.ts");
  const names = imported(rewriteChoices(file, "import(`./kinds/${type}.ts`)"));
  expect([...names]).toEqual(expect.arrayContaining(probedTypes.map((type) => `./kinds/${type}.ts`)));
  expect([...names].filter((name) => name?.includes("test"))).toEqual([]);
});

test("an import of a service by name covers all services", () => {
  const file = join(root, "deploy/local/src/supervisor/processes.ts");
  expect(imported(rewriteChoices(file, "import(`@sonde/${service}`)"))).toEqual(
    new Set(serviceNames.map((name) => `@sonde/${name}`)),
  );
  expect(imported(rewriteChoices(file, "import(`@sonde/${service}/config`)"))).toEqual(
    new Set(serviceNames.map((name) => `@sonde/${name}/config`)),
  );
});

test("an import of a service's subpath covers only services that export it", () => {
  const file = join(root, "deploy/backup/src/postgres/import.ts");
  expect(imported(rewriteChoices(file, "import(`@sonde/${service}/migrations`)"))).toEqual(
    new Set(databaseServices.map((name) => `@sonde/${name}/migrations`)),
  );
});

test("an unknown name rejects, like an import", async () => {
  const file = join(root, "services/probe-runner/src/probe/probes.ts");
  const text = rewriteChoices(file, "import(`./kinds/${type}.ts`)");
  const module = `const type = "gone"; export const loading = ${text}; loading.catch(() => {});`;
  const { loading } = (await import(`data:text/javascript,${encodeURIComponent(module)}`)) as {
    loading: Promise<unknown>;
  };
  await expect(loading).rejects.toThrow("There is no ./kinds/gone.ts");
});

test("other imports are unchanged", () => {
  const text = `import("./otlp.ts"); import(name); import(\`plain\`)`;
  expect(rewriteChoices(join(root, "services/kit/src/telemetry/open-spans.ts"), text)).toBe(text);
});
