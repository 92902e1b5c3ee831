import { serviceNames } from "@sonde/proto/services";
import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { StartupError } from "@sonde/kit/service/startup-error";
import { inspectedIn, serviceProgram } from "./watch-services.ts";

it("runs each service from its own main.ts", () => {
  for (const name of serviceNames) expect(existsSync(serviceProgram(name, {}, []).args.at(-1)!), name).toBe(true);
});

it("opens a debugger port only for the listed services, a different one for each", () => {
  const inspected = inspectedIn(["node", "main.ts", "--dev", "--inspect=monitors,auth"]);

  const ports = ["auth", "gateway", "monitors"] as const;
  expect(
    ports.map((name) => serviceProgram(name, {}, inspected).args.find((arg) => arg.startsWith("--inspect"))),
  ).toEqual(["--inspect=127.0.0.1:9230", undefined, "--inspect=127.0.0.1:9229"]);
});

it("lists all services if one to inspect does not exist", () => {
  expect(() => inspectedIn(["--inspect=monitor"])).toThrow(StartupError);
  expect(() => inspectedIn(["--inspect=monitor"])).toThrow(/Unknown service to inspect: monitor.* probe-runner/);
});
