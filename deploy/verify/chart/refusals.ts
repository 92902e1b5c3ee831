import { renderChart } from "./tools.ts";

export const requiredOptions = ["--set", "image.registry=registry.example.com"] as const;

/** Values (`--set`) that values.schema.json must reject, with a part of the message. */
const bySchema: readonly (readonly [values: string, path: string])[] = [
  ["mode=single", "/mode"],
  ["servces.gateway.replicas=2", "servces"],
  ["services.gateway.replica=2", "/services/gateway"],
  ["services.gateway.replicas=two", "/services/gateway/replicas"],
  ["services.probe-runner.location=eu", "/services/probe-runner/location"],
  ["nats.bundled.replicas=2", "/nats/bundled/replicas"],
  ["clickhouse.bundled.replicas=3", "/clickhouse/bundled/replicas"],
  ["retention.rawDays=1", "/retention/rawDays"],
  ["service.port=99999", "/service/port"],
  ["nats.bundled=null", "/nats"],
  ["image=null", "missing property 'image'"],
  ["retention.rawDays=null", "/retention"],
  ["runnerPools.default=null", "/runnerPools"],
  ["runnerPools.EU_1.location=eu", "at '/runnerPools': additional properties 'EU_1'"],
  ["runnerPools.us.nodeSelector.region=us", "/runnerPools/us"],
  ["runnerPools.eu.location=eu central", "/runnerPools/eu/location"],
  ["image.registry=sonde", "/image/registry"],
  ["image.registry=https://registry.example.com", "/image/registry"],
  ["image.repository=Sonde", "/image/repository"],
  ["image.tag=v1 beta", "/image/tag"],
  ["image.digests.auth=sha256:0", "/image/digests/auth"],
  ["image.pullSecrets[0]=My Secret", "/image/pullSecrets/0"],
  ["global.imagePullSecrets[0].name=My Secrets", "/global/imagePullSecrets/0"],
  ["postgres.bundled.image.registry=https://mirror", "/postgres/bundled/image/registry"],
  ["nameOverride=Sonde", "/nameOverride"],
  ["publicUrl=sonde.example.com", "/publicUrl"],
  ["publicUrl=https://example.com/sonde", "/publicUrl"],
  ["publicUrl=http://sonde.example.com:99999", "/publicUrl"],
  ["otlpEndpoint=collector:4318", "/otlpEndpoint"],
  ["trustedProxies[0]=300.1.1.1/8", "/trustedProxies/0"],
  ["trustedProxies[0]=10.0.0.0/64", "/trustedProxies/0"],
  ["deniedRanges[0]=fd00::/129", "/deniedRanges/0"],
  ["deniedRanges[0]=::1::2", "/deniedRanges/0"],
  ["deniedRanges=10.0.0.0/8", "/deniedRanges"],
  ["networkPolicy.ingressFrom[0].ipBlock.cidr=10.0.0.1", "/networkPolicy/ingressFrom/0/ipBlock/cidr"],
  [
    "networkPolicy.metricsFrom[0].ipBlock.cidr=10.0.0.0/8,networkPolicy.metricsFrom[0].podSelector.matchLabels.a=b",
    "/networkPolicy/metricsFrom/0",
  ],
  ["agentDownloads.key=secret", "/agentDownloads/key"],
  ["discovery.name=My cluster", "/discovery/name"],
  ["backup.destination=s3://backups/sonde", "/backup/destination"],
  ["restore.from=sonde.tar", "/restore/from"],
  ["oidc.issuer=login", "/oidc/issuer"],
  ["oidc.key=the key", "/oidc/key"],
  ["defaults.env[0].value=x", "/defaults/env/0"],
  ["defaults.env[0].name=A=B", "/defaults/env/0/name"],
  ["services.auth.env[0].name=A,services.auth.env[0].value=20000", "/services/auth/env/0/value"],
  ["services.gateway.envFrom[0].secretRef.name=My_Env", "/services/gateway/envFrom/0/secretRef/name"],
  ["defaults.resources.limits.memory=1Gb", "/defaults/resources/limits/memory"],
  ["services.auth.resources.limits.memory=512m", "/services/auth/resources/limits/memory"],
  ["services.auth.resources.requests.mem=1Gi", "/services/auth/resources/requests"],
  ["services.auth.resources.requests.cpu=1 core", "/services/auth/resources/requests/cpu"],
  ["defaults.podDisruptionBudget.maxUnavailable=0", "/defaults/podDisruptionBudget/maxUnavailable"],
  ["services.auth.podDisruptionBudget.maxUnavailable=150%", "/services/auth/podDisruptionBudget/maxUnavailable"],
  ["services.auth.podLabels.pool=blue", "/services/auth/podLabels/pool"],
  ["commonLabels.team=the platform", "/commonLabels/team"],
  ["commonAnnotations.owned by=me", "/commonAnnotations"],
  ["defaults.nodeSelector.zone=-a", "/defaults/nodeSelector/zone"],
  ["ingress.hosts[0]=sonde.example.com:443", "/ingress/hosts/0"],
  ["ingress.className=The Class", "/ingress/className"],
  ["httpRoute.streamTimeouts.request=1 day", "/httpRoute/streamTimeouts/request"],
  ["nats.bundled.syncInterval=often", "/nats/bundled/syncInterval"],
  ["postgres.bundled.storage.size=10GB", "/postgres/bundled/storage/size"],
  ["postgres.external.parameters=?sslmode=require", "/postgres/external/parameters"],
  ["secrets.app.existingSecret=My_Secret", "/secrets/app/existingSecret"],
  ["extraObjects[0].kind=ConfigMap", "/extraObjects/0"],
];

/** Values that templates/_validate.tpl must reject, with a part of the message. It runs only if the schema passes. */
const byTemplate: readonly (readonly [values: string, sentence: string])[] = [
  ["image.registry=", "image.registry: set the host of your registry"],
  ["services.gatway.replicas=2", "services.gatway: unknown service; the services are agent-ingest, auth, gateway,"],
  ["image.digests.gatway=", "image.digests: unknown image gatway; the images are agent-ingest, agents, all-in-one"],
  ["agentDownloads.bundled=false,agentDownloads.url=", "agentDownloads: set url"],
  ["httpRoute.enabled=true", "httpRoute.parentRefs: httpRoute.enabled requires a Gateway"],
  [
    "publicUrl=http://10.0.0.1:80,ingress.enabled=true",
    "publicUrl: an Ingress or HTTPRoute requires a lowercase host name",
  ],
  ["discovery.enabled=true", "discovery.existingSecret: discovery.enabled requires the Secret"],
  ["oidc.issuer=https://login.example.com", "oidc.clientId: required because oidc.issuer is set"],
  ["oidc.clientId=sonde,oidc.issuer=", "oidc.issuer: required because"],
  ["openshift=true,podSecurityContext.runAsUser=1000", "openshift: remove podSecurityContext.runAsUser"],
  ["config.files.a\\.yaml=x,config.existingConfigMap=b", "config: set files or existingConfigMap, not both"],
  ["caFile.configMap=a,caFile.secret=b", "caFile: set configMap or secret, not both"],
  ["nats.mode=external", "nats.external.existingSecret: set the Secret with the address"],
  ["services.metrics.replicas=2,clickhouse.mode=embedded", "services.metrics: only 1 replica is possible"],
  [
    "services.metrics.autoscaling.enabled=true,clickhouse.mode=embedded",
    "services.metrics: only 1 replica is possible while clickhouse.mode is embedded",
  ],
  [
    "postgres.mode=external,postgres.external.adminKey=admin,postgres.external.existingSecret=a",
    "postgres.external.host: required because adminKey is set",
  ],
  [
    "postgres.mode=external,postgres.external.keys.default=null",
    "postgres.external.keys: set the key with the address of auth, or a default",
  ],
  [
    "autoscaling.keda.enabled=true,nats.mode=external",
    "autoscaling.keda.natsMonitoringEndpoint: set the host and monitoring port of your NATS",
  ],
  ["mode=all-in-one,services.gateway.replicas=3", "services.gateway.replicas: mode all-in-one ignores this value"],
  ["mode=all-in-one,runnerPools.eu.location=eu", "runnerPools.eu: mode all-in-one ignores this value"],
  ["mode=distributed,allInOne.storage.size=5Gi", "allInOne.storage.size: mode distributed ignores this value"],
];
const validValues: Readonly<Record<string, unknown>> = {
  image: {
    registry: "localhost:5000/team",
    tag: `1.2.3@sha256:${"0a".repeat(32)}`,
    pullSecrets: ["regcred.v1", { name: "regcred" }],
  },
  publicUrl: "http://[fd00::1]:8080",
  trustedProxies: [
    "10.1.2.3",
    "10.0.0.0/8",
    "0.0.0.0/0",
    "::/0",
    "::1",
    "fd00::/8",
    "1:2:3:4:5:6:7:8",
    "::ffff:10.0.0.0/104",
  ],
  deniedRanges: ["2001:db8::1:0:0/96", "FE80::/10", "1::", "255.255.255.255/32"],
  ingress: { enabled: true, hosts: ["*.example.com", "xn--bcher-kva.example"] },
  defaults: {
    resources: { requests: { cpu: 0.1, memory: 134217728 }, limits: { memory: "1.5Gi", "example.com/device": 1 } },
    env: [{ name: "FOOTER_BLOG_URL", valueFrom: { configMapKeyRef: { name: "links", key: "blog" } } }],
    envFrom: [{ prefix: "A_", secretRef: { name: "more", optional: true } }],
    tolerations: [{ operator: "Exists" }, { key: "a", value: "b", effect: "NoExecute", tolerationSeconds: 60 }],
    podDisruptionBudget: { maxUnavailable: "50%" },
    nodeSelector: { "node-role.kubernetes.io/worker": "" },
  },
  // One string instead of parts, as in older values files.
  postgres: { bundled: { image: "registry.example.com:5000/library/postgres:18" } },
  services: { auth: { resources: { requests: { memory: "512Mi" }, limits: { memory: "512Mi" } } } },
  extraObjects: ["apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }"],
};

/** Reports values that the chart wrongly accepts, or rejects without the expected message. */
export async function findMissingRefusals(helm: string): Promise<string> {
  const errors: string[] = [];
  for (const [values, sentence] of [...bySchema, ...byTemplate]) {
    const { code, stderr } = await renderChart(helm, [...requiredOptions, "--set", values]);
    if (code === 0 || !stderr.includes(sentence))
      errors.push(`${values} is not rejected with "${sentence}":\n${stderr.trim()}`);
  }
  const { code, stderr } = await renderChart(helm, ["-f", "-"], JSON.stringify(validValues));
  if (code !== 0) errors.push(`valid values are rejected:\n${stderr.trim()}`);
  return errors.join("\n");
}
