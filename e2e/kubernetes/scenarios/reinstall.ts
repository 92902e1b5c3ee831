import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import type { Api } from "../../support/api.ts";
import { installChart, release } from "../sonde/chart.ts";
import { whereabouts } from "../ground.ts";
import { until } from "../cluster/wait.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { adminOf } from "../sonde/account.ts";
import { deleteMonitors } from "../sonde/clean.ts";
import { makeSwitches } from "../sonde/switches.ts";

const uninstallTimeoutMs = 200_000;

export const reinstall: Scenario = {
  name: "reinstall",
  about: "helm uninstall, and install again on the kept volumes and Secrets",
  async run(ground) {
    const installed = await ground.sonde();
    const { namespace, values } = installed;
    const { api } = await ground.admin();
    const target = await ground.target(namespace);
    const switches = await makeSwitches(api, target, ground.next(), 5);
    await switches[0]?.fail();
    await switches[0]?.becomes("down");
    const before = await kept(api);

    const uninstall = ["uninstall", release, "--wait", "--timeout", "180s"];
    await namespace.helm(uninstall, { timeoutMs: uninstallTimeoutMs });
    await until("no pod of Sonde is left", async () =>
      (await namespace.pods("app.kubernetes.io/name=sonde")).length === 0 ? true : undefined,
    );
    const beganMs = performance.now();
    await installChart(namespace, "install", await ground.chart(), values);
    const seconds = (performance.now() - beganMs) / 1000;
    Object.assign(installed, await whereabouts(ground, namespace, values));
    const again = await adminOf(installed.url, installed.setupCode);
    const after = await kept(again.api);
    await switches[0]?.heal();
    const fresh = await until("a check after the installation", async () => {
      const now = (await kept(again.api)).checks;
      return now.some(({ slot }) => !after.checks.some((known) => known.slot === slot)) ? now : undefined;
    });
    await deleteMonitors(again.api);
    const losses = [
      ...missing("monitor", before.monitors, after.monitors),
      ...missing("incident", before.incidents, after.incidents),
      ...missing("agent", before.agents, after.agents),
      ...missing("user", before.users, after.users),
      ...before.checks
        .filter(({ slot }) => !after.checks.some((known) => known.slot === slot))
        .map(({ slot }) => `the check of ${slot}`),
    ];
    return [
      lossless(
        "`helm uninstall`, `helm install` again",
        "the same login, monitors, incidents, users, checks",
        `ready after ${seconds.toFixed(0)} s: ${before.monitors.length} monitors, ${before.users.length} users, ${before.checks.length} checks, then ${fresh.length}`,
        losses,
      ),
    ];
  },
};

async function kept(api: Api) {
  const page = "page=1&pageSize=200";
  const { monitors } = await api.get<{ monitors: Monitor[] }>(`/api/monitors?${page}`);
  const { incidents } = await api.get<{ incidents: { id: string }[] }>(`/api/incidents?${page}`);
  const { agents } = await api.get<{ agents: { id: number }[] }>(`/api/agents?${page}`);
  const { users } = await api.get<{ users: { id: number }[] }>(`/api/users?${page}`);
  const first = monitors.map(({ id }) => id).toSorted((left, right) => left - right)[0] ?? 0;
  const { checks } = await api.get<{ checks: CheckResult[] }>(`/api/monitors/${first}/checks?limit=200`);
  return { monitors, incidents, agents, users, checks };
}

function missing(what: string, before: readonly { id: unknown }[], after: readonly { id: unknown }[]): string[] {
  return before.filter(({ id }) => !after.some((one) => one.id === id)).map(({ id }) => `${what} ${String(id)}`);
}
