import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import type { Api } from "@sonde/testing/api";
import { deletePod } from "../cluster/disrupt.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { allReady, until } from "../cluster/wait.ts";
import { lossless } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { fullname } from "../sonde/chart.ts";
import { deleteMonitors } from "../sonde/clean.ts";

const location = "branch";
const [app, tokenSecret] = ["remote-runner", "runner-token"];
const revokedCode = 4;

type Runner = { id: number; connected: boolean };
type Check = { status: string; location: string; startedAt: string };

/** Runs the image as `docker run` would, with the address of the gateway's Service only. */
async function startRunner(namespace: Namespace, image: string, address: string, token: string): Promise<void> {
  const labels = { app };
  const container = {
    name: app,
    image,
    imagePullPolicy: "IfNotPresent",
    env: [
      { name: "SONDE_URL", value: address },
      { name: "SONDE_TOKEN", valueFrom: { secretKeyRef: { name: tokenSecret, key: "token" } } },
      { name: "SONDE_ALLOW_HTTP", value: "1" },
    ],
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    volumeMounts: ["/data", "/tmp"].map((mountPath) => ({ name: mountPath.slice(1), mountPath })),
  };
  const spec = {
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      fsGroup: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [container],
    volumes: ["data", "tmp"].map((name) => ({ name, emptyDir: {} })),
  };
  await namespace.apply(
    { apiVersion: "v1", kind: "Secret", metadata: { name: tokenSecret }, stringData: { token } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: app },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  );
}

async function connectedRunner(api: Api): Promise<Runner | undefined> {
  const { locations } = await api.get<{ locations: { name: string; remote?: { runners: Runner[] } }[] }>(
    "/api/locations",
  );
  return locations.find(({ name }) => name === location)?.remote?.runners.find(({ connected }) => connected);
}

export const locations: Scenario = {
  name: "locations",
  about: "a remote probe runner that reaches only the gateway's Service",
  async run(ground) {
    const { namespace } = await ground.sonde();
    const { api } = await ground.admin();
    const target = await ground.target(namespace);
    const { spec } = await namespace.service(`${fullname}-gateway`);
    const address = `http://${spec.clusterIP}:${spec.ports.find(({ name }) => name === "http")?.port}`;
    const { repository, tag } = ground.options.image;
    const { token } = await api.send<{ token: string }>("POST", "/api/locations", { name: location });
    const elsewhere = await ground.namespace(location);
    await startRunner(elsewhere, `${repository}/probe-runner:${tag}`, address, token);
    const runner = await until("the runner is connected", () => connectedRunner(api));

    const url = `${target.url}/ok/${ground.next()}`;
    const input = { name: "Branch", url, interval: 2 / 60, timeout: 1, retries: 0, locations: [location] };
    const { monitor } = await api.send<{ monitor: Monitor }>("POST", "/api/monitors", input);
    const checks = async () =>
      (await api.get<{ checks: Check[] }>(`/api/monitors/${monitor.id}/checks?limit=200`)).checks;
    const [first] = await until("a check of its location", async () => {
      const stored = await checks();
      return stored.length > 0 ? stored : undefined;
    });

    const fromMs = Date.now();
    for (const component of ["gateway", "nats"]) {
      const pods = await namespace.pods(`app.kubernetes.io/component=${component}`);
      for (const pod of pods) await deletePod(namespace, pod);
      await allReady(namespace);
      await until("the runner is connected again", () => connectedRunner(api));
    }
    const untilMs = Date.now();
    await until("results of the time after", async () =>
      (await checks()).some(({ startedAt }) => Date.parse(startedAt) > untilMs) ? true : undefined,
    );
    const during = (await checks()).filter(({ startedAt }) => Date.parse(startedAt) >= fromMs);
    const failures = during.filter(({ status }) => status !== "up").map(({ startedAt }) => `failure at ${startedAt}`);

    await api.send("DELETE", `/api/locations/${location}/runners/${runner.id}`);
    const code = await until("the revoked runner exits", async () => {
      const [pod] = await elsewhere.pods(`app=${app}`);
      const { lastState, state } = pod?.status.containerStatuses?.[0] ?? {};
      return (state?.terminated ?? lastState?.terminated)?.exitCode;
    });
    await deleteMonitors(api);
    return [
      lossless("a remote runner through the gateway's Service", "checks its location", `${first!.location}`, []),
      lossless(
        "all pods of the gateway, then of NATS, deleted",
        "no false failure",
        `${during.length} checks`,
        failures,
      ),
      lossless(
        "the runner is revoked",
        `exits with code ${revokedCode}`,
        `code ${code}`,
        code === revokedCode ? [] : [`code ${code}`],
      ),
    ];
  },
};
