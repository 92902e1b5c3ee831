import { render } from "./tools.ts";

/** Values that must be refused (`--set`), and the sentence that says so. */
type Refusal = readonly [values: string, sentence: string];

/** What every install must be given. */
export const needed = ["--set", "image.registry=registry.example.com"] as const;

/** By values.schema.json. */
const bySchema: readonly Refusal[] = [
  ["nats.bundled.replicas=2", "at '/nats/bundled/replicas': value must be one of 1, 3"],
  ["mode=single", "at '/mode': value must be one of 'distributed', 'all-in-one'"],
  ["servces.gateway.replicas=2", "additional properties 'servces' not allowed"],
  ["services.gatway.replicas=2", "at '/services': additional properties 'gatway' not allowed"],
  ["services.gateway.replica=2", "at '/services/gateway': additional properties 'replica' not allowed"],
  ["services.gateway.replicas=two", "at '/services/gateway/replicas': got string, want integer"],
  ["postgres.mode=sqlite", "at '/postgres/mode': value must be one of 'bundled', 'external', 'cnpg'"],
  ["postgres.cnpg.instance=1", "at '/postgres/cnpg': additional properties 'instance' not allowed"],
  ["registration=maybe", "at '/registration': value must be one of 'open', 'approval', 'closed'"],
  ["retention.rawDays=1", "at '/retention/rawDays': minimum: got 1, want 2"],
  ["service.port=99999", "at '/service/port': maximum: got 99,999, want 65,535"],
  ["runnerPools.eu.nodeSelector.region=eu", "at '/runnerPools/eu': missing property 'location'"],
  ["deniedRanges=10.0.0.0/8", "at '/deniedRanges': got string, want null or array"],
  ["defaults.terminationGracePeriodSeconds=5", "at '/defaults/terminationGracePeriodSeconds': minimum: got 5, want 30"],
];

/** By templates/_validate.tpl, which is asked only where the schema refuses nothing. */
const byTemplate: readonly Refusal[] = [
  ["image.registry=", "image.registry: name the host of your registry, such as registry.example.com. `npm run images"],
  ["image.registry=sonde", 'image.registry: "sonde" is no host of a registry'],
  ["image.registry=https://registry.example.com", 'image.registry: "https://registry.example.com" is no host'],
  ["postgres.mode=external", "postgres.external.existingSecret: name the Secret with the address"],
  ["nats.mode=external", "nats.external.existingSecret: name the Secret with the address"],
  ["clickhouse.mode=external", "clickhouse.external.existingSecret: name the Secret with the address"],
  [
    "services.metrics.replicas=2,clickhouse.mode=embedded",
    "services.metrics.replicas: only 1 is possible while clickhouse.mode is embedded",
  ],
  [
    "services.metrics.autoscaling.enabled=true,clickhouse.mode=embedded,services.metrics.replicas=1",
    "services.metrics.autoscaling.enabled: metrics has one replica",
  ],
  [
    "mode=all-in-one,postgres.mode=cnpg,publicUrl=,nats.mode=bundled,clickhouse.mode=embedded,services.metrics.replicas=1",
    "postgres.mode: mode all-in-one has its own postgres inside",
  ],
  ["publicUrl=sonde.example.com", 'publicUrl: "sonde.example.com" is no address without a path'],
  ["publicUrl=https://example.com/sonde", 'publicUrl: "https://example.com/sonde" is no address without a path'],
  ["trustedProxies[0]=ingress", 'trustedProxies: "ingress" is neither an address nor a range'],
  ["agentDownloads.bundled=false", "agentDownloads: give url and key"],
  ["runnerPools.EU_1.location=eu", "runnerPools.EU_1: a pool's name has 1 to 20 small letters"],
  ["runnerPools.eu.location=eu central", 'runnerPools.eu.location: "eu central" is no location'],
  [
    "services.auth.autoscaling.minReplicas=20",
    "services.auth.autoscaling: minReplicas (20) is more than maxReplicas (10)",
  ],
  ["defaults.podDisruptionBudget.maxUnavailable=0", "maxUnavailable: 0 would hold up each drain of a node"],
  ["services.auth.podDisruptionBudget.maxUnavailable=0%", "services.auth.podDisruptionBudget.maxUnavailable: 0 would"],
  ["commonLabels.app\\.kubernetes\\.io/part-of=ops", "commonLabels: the chart itself sets app.kubernetes.io/part-of"],
  ["services.auth.podLabels.pool=blue", "services.auth.podLabels: the chart itself sets pool"],
  ["httpRoute.enabled=true", "httpRoute.parentRefs: name the Gateway"],
  ["nats.bundled.syncInterval=often", 'nats.bundled.syncInterval: "often" is neither always nor a time'],
  ["allInOne.storage.size=many", 'allInOne.storage.size: "many" is no size such as 10Gi'],
  ["secrets.app.existingSecret=My_Secret", 'secrets.app.existingSecret: "My_Secret" is no name of a Secret'],
];

/** Names values that the chart takes though it must not, or refuses without the sentence that names the field. */
export async function findMissingRefusals(helm: string): Promise<string> {
  const faults: string[] = [];
  // All faults of a render are told at once, so that some renders are enough for all.
  for (const batch of [...inBatches(bySchema), ...inBatches(byTemplate)]) {
    const { stderr } = await render(helm, [...needed, ...batch.flatMap(([values]) => ["--set", values])]);
    for (const [values, sentence] of batch) {
      if (!stderr.includes(sentence)) faults.push(`${values} is not refused by "${sentence}":\n${stderr.trim()}`);
    }
  }
  return faults.join("\n");
}

/** Batches in which no value is given twice. */
export function inBatches(refusals: readonly Refusal[]): Refusal[][] {
  const batches: { keys: Set<string>; refusals: Refusal[] }[] = [];
  for (const refusal of refusals) {
    const keys = refusal[0].split(",").map((pair) => pair.split("=")[0]!);
    const free = batches.find((batch) => keys.every((key) => !batch.keys.has(key)));
    if (free === undefined) batches.push({ keys: new Set(keys), refusals: [refusal] });
    else {
      keys.forEach((key) => free.keys.add(key));
      free.refusals.push(refusal);
    }
  }
  return batches.map((batch) => batch.refusals);
}
