import type { Agent } from "@sonde/proto/http/agents/agents";
import { apiOf } from "@sonde/testing/api";
import { startReporting } from "../../support/reporting-agent.ts";
import { deletePod } from "../cluster/disrupt.ts";
import { isReady } from "../cluster/objects.ts";
import { memoryOf } from "../cluster/processes.ts";
import { until } from "../cluster/wait.ts";
import { install } from "../ground.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fullname, release } from "../sonde/chart.ts";
import { createSwitches } from "../sonde/switches.ts";
import { testRelease } from "./helm-test.ts";

const mib = 2 ** 20;

export const allInOne: Scenario = {
  name: "all-in-one",
  about: "the chart as one pod with one volume",
  async run(ground) {
    await ground.leave("main");
    const namespace = await ground.namespace("one");
    // Without an account, helm test registers the first one with the setup code and stores its password.
    const over = { mode: "all-in-one", tests: { existingSecret: "" } };
    const { url, installSeconds } = await install(ground, namespace, over);
    const target = await ground.target(namespace);
    await testRelease(namespace);
    const account = await namespace.secret(`${fullname}-test`);
    const logIn = () =>
      until("the account of helm test logs in", () =>
        apiOf(url).send<{ token: string }>("POST", "/api/auth/login", {
          username: account.username,
          password: account.password,
        }),
      );
    const api = apiOf(url, (await logIn()).token);
    const [one] = await createSwitches(api, target, ground.next(), 1);
    if (one === undefined) throw new Error("no monitor was created");
    const reporting = await startReporting(url, api, "db");
    await one.fail();
    await one.becomes("down");
    await one.heal();
    await one.becomes("up");
    reporting.stop();
    const before = await look(url, (await logIn()).token, one.monitorId);

    const [pod] = (await namespace.pods(`app.kubernetes.io/instance=${release}`)).filter(isReady);
    if (pod === undefined) throw new Error("the pod is not ready");
    const bytes = await memoryOf(pod);
    const beganMs = performance.now();
    await deletePod(namespace, pod);
    await until("the pod is back", async () =>
      (await namespace.pods(`app.kubernetes.io/instance=${release}`)).find(
        (now) => isReady(now) && now.metadata.uid !== pod.metadata.uid,
      ),
    );
    const seconds = (performance.now() - beganMs) / 1000;
    const after = await look(url, (await logIn()).token, one.monitorId);
    const lost = [
      ...before.incidents.filter((id) => !after.incidents.includes(id)).map((id) => `incident ${id}`),
      ...before.agents.filter((id) => !after.agents.includes(id)).map((id) => `agent ${id}`),
      ...before.slots.filter((slot) => !after.slots.includes(slot)).map((slot) => `the check of ${slot}`),
    ];
    return [
      lossless(
        "`mode: all-in-one`: installed, `helm test` registers the first account, story through the API",
        "passes",
        `ready after ${installSeconds.toFixed(0)} s, ${bytes === 0 ? "memory not visible from here" : `${Math.round(bytes / mib)} MiB`}`,
        [],
      ),
      lossless(
        "its pod deleted without grace",
        "nothing lost",
        `back after ${seconds.toFixed(0)} s: ${after.slots.length} checks, ${after.incidents.length} incidents, ${after.agents.length} agents`,
        lost,
      ),
    ];
  },
};

async function look(url: string, token: string, monitorId: number) {
  const api = apiOf(url, token);
  const read = async () => {
    const { checks } = await api.get<{ checks: { slot: string }[] }>(`/api/monitors/${monitorId}/checks?limit=200`);
    const { incidents } = await api.get<{ incidents: { id: string }[] }>(`/api/monitors/${monitorId}/incidents`);
    const { agents } = await api.get<{ agents: Agent[] }>("/api/agents");
    return {
      slots: checks.map(({ slot }) => slot),
      incidents: incidents.map(({ id }) => id),
      agents: agents.map(({ id }) => id),
    };
  };
  return until("the API responds", read);
}
