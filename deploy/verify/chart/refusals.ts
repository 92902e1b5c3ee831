import { render } from "./tools.ts";

/** Values that must be refused (`--set`), and the message. */
type Refusal = readonly [values: string, sentence: string];

/** What every install must be given. */
export const needed = ["--set", "image.registry=registry.example.com"] as const;

/** By values.schema.json. */
const bySchema: readonly Refusal[] = [
  ["nats.bundled.replicas=2", "at '/nats/bundled/replicas': value must be one of 1, 3"],
  ["clickhouse.bundled.replicas=3", "at '/clickhouse/bundled/replicas': value must be one of 1, 2"],
  ["clickhouse.external.replicated=yes", "at '/clickhouse/external/replicated': got string, want boolean"],
  ["mode=single", "at '/mode': value must be one of 'distributed', 'all-in-one'"],
  ["servces.gateway.replicas=2", "additional properties 'servces' not allowed"],
  ["services.gateway.replica=2", "at '/services/gateway': additional properties 'replica' not allowed"],
  ["services.gateway.replicas=two", "at '/services/gateway/replicas': got string, want integer"],
  ["postgres.mode=sqlite", "at '/postgres/mode': value must be one of 'bundled', 'external', 'cnpg'"],
  ["postgres.cnpg.instance=1", "at '/postgres/cnpg': additional properties 'instance' not allowed"],
  ["registration=maybe", "at '/registration': value must be one of 'open', 'approval', 'closed'"],
  ["retention.rawDays=1", "at '/retention/rawDays': minimum: got 1, want 2"],
  ["service.port=99999", "at '/service/port': maximum: got 99,999, want 65,535"],
  ["deniedRanges=10.0.0.0/8", "at '/deniedRanges': got string, want null or array"],
  ["defaults.terminationGracePeriodSeconds=5", "at '/defaults/terminationGracePeriodSeconds': minimum: got 5, want 30"],
  ["clickhouse.bundled.image.tag=26", "at '/clickhouse/bundled/image/tag': got number, want string"],
  ["ipFamilies[0]=IPv5", "at '/ipFamilies/0': value must be one of 'IPv4', 'IPv6'"],
  ["ipFamilyPolicy=DualStack", "at '/ipFamilyPolicy': value must be one of"],
  ["defaults.dnsConfig.servers[0]=10.0.0.10", "at '/defaults/dnsConfig': additional properties 'servers' not allowed"],
  ["services.auth.env[0].name=A,services.auth.env[0].valueFrom.secretKeyRef.name=a", "missing property 'key'"],
  ["clickhouse.bundled.userId=99999999999", "at '/clickhouse/bundled/userId': maximum"],
  ["services.monitors.replicas=99999999999", "at '/services/monitors/replicas': maximum"],
  ["services.monitors.affinity.nodeAffinity.required=x", "nodeAffinity': additional properties 'required' not allowed"],
  ["services.metrics.resources.claims[0].name=x", "at '/services/metrics/resources': additional properties 'claims'"],
  ["backup.keep=-1", "at '/backup/keep': minimum: got -1, want 0"],
  ["discovery.namespace=shop", "at '/discovery': additional properties 'namespace' not allowed"],
  ["selfWatch.key=", "at '/selfWatch/key': minLength: got 0, want 1"],
  ["defaults.nodeSelector.gpu=true", "at '/defaults/nodeSelector/gpu': got boolean, want string"],
  ["defaults.env[0].vaule=x", "at '/defaults/env/0': additional properties 'vaule' not allowed"],
  ["services.auth.env[0].value=x", "at '/services/auth/env/0': missing property 'name'"],
  ["defaults.envFrom[0].secretRef=common", "at '/defaults/envFrom/0/secretRef': got string, want object"],
  [
    "defaults.tolerations[0].operator=Equals",
    "at '/defaults/tolerations/0/operator': value must be one of '', 'Exists', 'Equal'",
  ],
  ["defaults.tolerations[0].effect=NoScheduling", "at '/defaults/tolerations/0/effect': value must be one of"],
  ["defaults.affinity.nodeAfinity.x=1", "at '/defaults/affinity': additional properties 'nodeAfinity' not allowed"],
  ["ingress.tls[0].secret=tls", "at '/ingress/tls/0': additional properties 'secret' not allowed"],
  ["httpRoute.parentRefs[0].namespace=gateways", "at '/httpRoute/parentRefs/0': missing property 'name'"],
  ["httpRoute.streamTimeouts.idle=1h", "at '/httpRoute/streamTimeouts': additional properties 'idle' not allowed"],
  ["networkPolicy.ingressFrom[0].labels.a=b", "at '/networkPolicy/ingressFrom/0': additional properties 'labels'"],
  ["networkPolicy.metricsFrom[0].ipBlock.range=x", "at '/networkPolicy/metricsFrom/0/ipBlock': additional properties"],
  ["networkPolicy.apiServerPorts=", "at '/networkPolicy/apiServerPorts': got string, want array"],
  ["openshift=yes", "at '/openshift': got string, want boolean"],
  ["oidc.roles.ops=root", "at '/oidc/roles/ops': value must be one of 'admin', 'user', 'viewer'"],
  ["oidc.clientSecret=x", "at '/oidc': additional properties 'clientSecret' not allowed"],
  ["defaults.hostAliases[0].ip=10.0.0.5", "at '/defaults/hostAliases/0': missing property 'hostnames'"],
  ["defaults.lifecycle.beforeStop.x=1", "at '/defaults/lifecycle': additional properties 'beforeStop' not allowed"],
  ["defaults.autoscaling.behavior.up=1", "at '/defaults/autoscaling/behavior': additional properties 'up' not allowed"],
  ["service.nodePort=70000", "at '/service/nodePort': maximum: got 70,000, want 65,535"],
  ["ingress.pathType=Regex", "at '/ingress/pathType': value must be one of 'Prefix', 'Exact'"],
  ["revisionHistoryLimit=-1", "at '/revisionHistoryLimit': minimum: got -1, want 0"],
  ["extraObjects[0].kind=ConfigMap", "at '/extraObjects/0': missing properties 'apiVersion', 'metadata'"],
];

/** By templates/_validate.tpl, which runs only if the schema refuses nothing. */
const byTemplate: readonly Refusal[] = [
  ["services.gatway.replicas=2", "services.gatway: there is no such service; there are agent-ingest, auth, gateway,"],
  ["backup.destination=s3://backups/sonde", 'backup.destination: "s3://backups/sonde" is no prefix of a bucket'],
  ["restore.from=sonde.tar", 'restore.from: "sonde.tar" is neither in a bucket'],
  ["discovery.enabled=true", "discovery.existingSecret: name the Secret with the API key"],
  ["discovery.name=My cluster", 'discovery.name: "My cluster" is no name of a cluster'],
  ["discovery.namespaces[0]=a.b", 'discovery.namespaces: "a.b" is no name of a namespace'],
  ["image.registry=", "image.registry: name the host of your registry, such as registry.example.com. `npm run images"],
  ["image.registry=sonde", 'image.registry: "sonde" is no host of a registry'],
  ["image.registry=https://registry.example.com", 'image.registry: "https://registry.example.com" is no host'],
  ["image.repository=Sonde", 'image.repository: "Sonde" is no path of a registry'],
  ["image.tag=v1 beta", 'image.tag: "v1 beta" is no tag of an image'],
  ["image.pullSecrets[0]=My Secret", '"My Secret" is no name that Kubernetes takes'],
  ["global.imagePullSecrets[0].name=My Secrets", '"My Secrets" is no name that Kubernetes takes'],
  ["oidc.issuer=https://login.example.com", "oidc.clientId: name the client, since oidc.issuer is given"],
  ["oidc.issuer=login", 'oidc.issuer: "login" is no address'],
  ["oidc.clientId=sonde,oidc.issuer=", "oidc.issuer: name the provider's address"],
  ["oidc.key=the key", 'oidc.key: "the key" is no key of a Secret'],
  ["openshift=true,podSecurityContext.runAsUser=1000", "openshift: pods name no user there"],
  ["service.nodePort=30080", "service.nodePort: a Service of type ClusterIP has none"],
  ["defaults.autoscaling.targetMemory=70%", 'defaults.autoscaling.targetMemory: "70%" is no amount of memory'],
  ["services.auth.hostAliases[0].ip=db,services.auth.hostAliases[0].hostnames[0]=db", 'ip: "db" is no address'],
  [
    "image.digests.gatway=sha256:0",
    "image.digests: there is no image gatway; there are agent-ingest, agents, all-in-one",
  ],
  ["image.digests.auth=sha256:0", 'image.digests.auth: "sha256:0" is no digest of an image'],
  ["image.registry=,global.imageRegistry=mirror", 'global.imageRegistry: "mirror" is no host of a registry'],
  ["postgres.bundled.image.registry=https://mirror", 'postgres.bundled.image.registry: "https://mirror" is no host'],
  ["nats.bundled.image.digest=latest", 'nats.bundled.image.digest: "latest" is no digest'],
  ["setup.image=Setup image", 'setup.image: "Setup image" is no name of an image'],
  ["nameOverride=Sonde", 'nameOverride: "Sonde" is no name that Kubernetes takes'],
  ["fullnameOverride=my_sonde", 'fullnameOverride: "my_sonde" is no name that Kubernetes takes'],
  ["fullnameOverride=1sonde", "fullnameOverride: give one that begins with a letter"],
  ["defaults.resources.limits.memory=1Gb", 'defaults.resources.limits.memory: "1Gb" is no amount such as 512Mi'],
  ["services.auth.resources.limits.memory=512m", "services.auth.resources.limits.memory: 512m is less than 16Mi"],
  [
    "services.auth.resources.requests.cpu=1 core",
    'services.auth.resources.requests.cpu: "1 core" is no processor time',
  ],
  ["services.auth.resources.requests.mem=1Gi", "services.auth.resources.requests.mem: Kubernetes has no such resource"],
  [
    "services.notifier.resources.limits.memory=64Mi",
    "services.notifier.resources: the limit of memory (64Mi) is below its request (160Mi)",
  ],
  ["runnerPools.edge.location=edge,runnerPools.edge.resources.limits.cpu=10m", "the limit of cpu (10m) is below its"],
  [
    "postgres.bundled.resources.limits.memory=0.1Gi",
    "postgres.bundled.resources: the limit of memory (0.1Gi) is below",
  ],
  ["setup.resources.limits.memory=20MB", 'setup.resources.limits.memory: "20MB" is no amount'],
  [
    "services.gateway.env[0].name=GATEWAY_MAX_STREAMS,services.gateway.env[0].value=20000",
    "services.gateway.env: the value of GATEWAY_MAX_STREAMS is no text; write it in quotes",
  ],
  ["defaults.env[0].name=A,defaults.env[0].value=true", "defaults.env: the value of A is no text"],
  ["services.auth.env[0].name=A=B", 'services.auth.env: "A=B" is no name of a variable'],
  ["services.metrics.env[0].name=A,services.metrics.env[1].name=A", "services.metrics.env: A is given twice"],
  [
    "services.monitors.env[0].name=A,services.monitors.env[0].value=x,services.monitors.env[0].valueFrom.fieldRef.fieldPath=metadata.name",
    "services.monitors.env: A has both value and valueFrom",
  ],
  ["postgres.mode=external", "postgres.external.existingSecret: name the Secret with the address"],
  [
    "postgres.mode=external,postgres.external.adminKey=admin,postgres.external.existingSecret=a",
    "postgres.external.host: name the host, since adminKey is given",
  ],
  [
    "postgres.mode=external,postgres.external.keys.default=null",
    "postgres.external.keys: name the key of the address of auth, or a default",
  ],
  ["postgres.external.host=postgres://db", 'postgres.external.host: "postgres://db" is no host'],
  ["postgres.external.database=my db", 'postgres.external.database: "my db" is no name of a database'],
  ["postgres.external.parameters=?sslmode=require", 'postgres.external.parameters: "?sslmode=require" is no list'],
  ["postgres.external.keys.auth=the key", 'postgres.external.keys.auth: "the key" is no key of a Secret'],
  ["nats.mode=external", "nats.external.existingSecret: name the Secret with the address"],
  ["nats.external.adminKey=the key", 'nats.external.adminKey: "the key" is no key of a Secret'],
  ["clickhouse.mode=external", "clickhouse.external.existingSecret: name the Secret with the address"],
  [
    "services.metrics.replicas=2,clickhouse.mode=embedded",
    "services.metrics.replicas: only 1 is possible while clickhouse.mode is embedded",
  ],
  [
    "services.metrics.autoscaling.enabled=true,clickhouse.mode=embedded,services.metrics.replicas=1",
    "services.metrics.autoscaling.enabled: metrics has one replica",
  ],
  ["mode=all-in-one,postgres.mode=cnpg", "postgres.mode: mode all-in-one has no use for it"],
  ["mode=all-in-one,services.gateway.replicas=3", "services.gateway.replicas: mode all-in-one has no use for it"],
  ["mode=all-in-one,nats.bundled.replicas=3", "nats.bundled.replicas: mode all-in-one has no use for it"],
  ["mode=all-in-one,runnerPools.eu.location=eu", "runnerPools.eu: mode all-in-one has no use for it"],
  ["mode=all-in-one,autoscaling.keda.enabled=true", "autoscaling.keda.enabled: mode all-in-one has no use for it"],
  ["mode=all-in-one,clickhouse.mode=bundled", "clickhouse.mode: mode all-in-one has no use for it"],
  ["mode=all-in-one,defaults.replicas=3", "defaults.replicas: mode all-in-one has no use for it"],
  ["mode=distributed,allInOne.storage.size=5Gi", "allInOne.storage.size: mode distributed has no use for it"],
  ["nats.bundled=null", "nats.bundled: null takes away what the chart needs"],
  ["image=null", "image: null takes away what the chart needs"],
  ["retention.rawDays=null", "retention.rawDays: null takes away what the chart needs"],
  ["defaults.tolerations[0].operator=Exists,defaults.tolerations[0].value=x", "operator Exists takes no value"],
  ["setup.tolerations[0].value=x", "setup.tolerations: without a key the operator must be Exists"],
  ["allInOne.tolerations[0].key=a b", 'allInOne.tolerations: "a b" is no key of a taint'],
  [
    "postgres.bundled.tolerations[0].tolerationSeconds=9",
    "postgres.bundled.tolerations: tolerationSeconds needs effect",
  ],
  ["services.gateway.envFrom[0].secretRef.name=My_Env", 'services.gateway.envFrom: "My_Env" is no name'],
  ["services.auth.extraContainers[0].name=side", "services.auth.extraContainers: side needs an image"],
  [
    "services.metrics.extraVolumes[0].name=Vol",
    'services.metrics.extraVolumes: "Vol" is no name that Kubernetes takes',
  ],
  ["defaults.dnsConfig.nameservers[0]=dns", 'defaults.dnsConfig.nameservers: "dns" is no address'],
  ["services.gateway.resources.limits.cpu=0", "services.gateway.resources: the limit of cpu (0) is below its request"],
  ["services.monitors.resources.requests.example\\.com/gpu=1", "example.com/gpu needs a limit that is the same"],
  ["services.metrics.podDisruptionBudget.maxUnavailable=-1", "podDisruptionBudget.maxUnavailable: -1 is below 0"],
  ["publicUrl=http://Sonde.example.com,ingress.enabled=true", "takes the name of a host in small letters"],
  ["publicUrl=http://sonde.example.com:99999", 'publicUrl: "http://sonde.example.com:99999" is no address'],
  [
    "networkPolicy.ingressFrom[0].ipBlock.cidr=10.0.0.0/8,networkPolicy.ingressFrom[0].podSelector.matchLabels.a=b",
    "networkPolicy.ingressFrom: a peer with ipBlock has no selector of pods",
  ],
  ["selfWatch.existingSecret=a..b", 'selfWatch.existingSecret: "a..b" is no name that Kubernetes takes'],
  ["config.files.a\\.yaml=x,config.existingConfigMap=b", "config: give files or existingConfigMap, not both"],
  [
    "config.envFrom[0].secretRef.name=a,config.allowDelete=1",
    "config.envFrom: it is for config.files or config.existingConfigMap",
  ],
  ["config.existingConfigMap=My files", 'config.existingConfigMap: "My files" is no name that Kubernetes takes'],
  ["caFile.configMap=a,caFile.secret=b", "caFile: give configMap or secret, not both"],
  ["caFile.secret=My CA", 'caFile.secret: "My CA" is no name that Kubernetes takes'],
  ["service.loadBalancerClass=internal", "service.loadBalancerClass: a Service of type ClusterIP has none"],
  ["service.externalTrafficPolicy=Local", "service.externalTrafficPolicy: a Service of type ClusterIP has none"],
  ["service.loadBalancerSourceRanges[0]=10.0.0.0", 'service.loadBalancerSourceRanges: "10.0.0.0" is no range'],
  ["ipFamilies[0]=IPv6,ipFamilies[1]=IPv4", "ipFamilies: two families need ipFamilyPolicy PreferDualStack or"],
  [
    "services.auth.extraVolumes[0].name=tmp",
    "services.auth.extraVolumes: tmp is given twice, or is one that the chart",
  ],
  ["services.notifier.extraContainers[0].name=notifier", "services.notifier.extraContainers: notifier is given twice"],
  ["defaults.initContainers[0].image=busybox", "defaults.initContainers: each needs a name"],
  ["defaults.extraVolumeMounts[0].mountPath=/tmp", "defaults.extraVolumeMounts: /tmp is given twice, or is one"],
  [
    "allInOne.extraVolumeMounts[0].name=spool,allInOne.extraVolumeMounts[0].mountPath=/spool",
    'allInOne.extraVolumeMounts: extraVolumes has no "spool"',
  ],
  ["publicUrl=sonde.example.com", 'publicUrl: "sonde.example.com" is no address without a path'],
  ["publicUrl=https://example.com/sonde", 'publicUrl: "https://example.com/sonde" is no address without a path'],
  ["publicUrl=https://a@example.com", 'publicUrl: "https://a@example.com" is no address without a path'],
  ["publicUrl=http://10.0.0.1:80,ingress.enabled=true", "publicUrl: an Ingress or HTTPRoute takes the name of a host"],
  ["otlpEndpoint=collector:4318", 'otlpEndpoint: "collector:4318" is no address'],
  ["trustedProxies[0]=ingress", 'trustedProxies: "ingress" is neither an address nor a range'],
  ["trustedProxies[0]=300.1.1.1/8", 'trustedProxies: "300.1.1.1/8" is neither an address nor a range'],
  ["trustedProxies[0]=10.0.0.0/64", 'trustedProxies: "10.0.0.0/64" is neither an address nor a range'],
  ["deniedRanges[0]=fd00::/129", 'deniedRanges: "fd00::/129" is neither an address nor a range'],
  ["deniedRanges[0]=1:2:3", 'deniedRanges: "1:2:3" is neither an address nor a range'],
  ["deniedRanges[0]=::1::2", 'deniedRanges: "::1::2" is neither an address nor a range'],
  ["networkPolicy.ingressFrom[0].ipBlock.cidr=10.0.0.1", 'ingressFrom[0].ipBlock.cidr: "10.0.0.1" is no range'],
  ["networkPolicy.metricsFrom[0].podSelector.matchLabels.a=b c", 'matchLabels.a: "b c" is not of a label'],
  ["agentDownloads.bundled=false,agentDownloads.url=", "agentDownloads: give url and key"],
  ["agentDownloads.key=secret", 'agentDownloads.key: "secret" is no public key'],
  ["agentDownloads.url=ftp://example.com", 'agentDownloads.url: "ftp://example.com" is no address'],
  ["runnerPools.default=null", "runnerPools: none is left, so that nothing would be checked"],
  ["runnerPools.EU_1.location=eu", "runnerPools.EU_1: a pool's name has 1 to 20 small letters"],
  ["runnerPools.eu.location=eu central", 'runnerPools.eu.location: "eu central" is no location'],
  ["runnerPools.us.nodeSelector.region=us", "runnerPools.us.location: name the location that monitors choose"],
  ["services.probe-runner.location=eu", "services.probe-runner.location: only a pool has one"],
  [
    "services.auth.autoscaling.minReplicas=20",
    "services.auth.autoscaling: minReplicas (20) is more than maxReplicas (10)",
  ],
  ["defaults.autoscaling.targetCPU=70%", 'defaults.autoscaling.targetCPU: "70%" is no processor time such as 700m'],
  ["defaults.podDisruptionBudget.maxUnavailable=0", "maxUnavailable: 0 would hold up each drain of a node"],
  ["services.auth.podDisruptionBudget.maxUnavailable=0%", "services.auth.podDisruptionBudget.maxUnavailable: 0 would"],
  ["services.auth.podDisruptionBudget.maxUnavailable=150%", '"150%" is neither a number without quotes nor a percent'],
  ["commonLabels.app\\.kubernetes\\.io/part-of=ops", "commonLabels: the chart itself sets app.kubernetes.io/part-of"],
  ["commonLabels.team=the platform", 'commonLabels.team: "the platform" is not of a label'],
  ["commonAnnotations.owned by=me", 'commonAnnotations: "owned by" is no key of an annotation'],
  ["services.auth.podLabels.pool=blue", "services.auth.podLabels: the chart itself sets pool"],
  ["services.auth.podLabels.a b=blue", 'services.auth.podLabels: "a b" is not of a label'],
  ["defaults.nodeSelector.zone=-a", 'defaults.nodeSelector.zone: "-a" is not of a label'],
  ["defaults.priorityClassName=Very High", 'defaults.priorityClassName: "Very High" is no name'],
  ["httpRoute.enabled=true", "httpRoute.parentRefs: name the Gateway"],
  ["httpRoute.hostnames[0]=https://sonde.example.com", 'httpRoute.hostnames: "https://sonde.example.com" is no name'],
  ["httpRoute.streamTimeouts.request=1 day", 'httpRoute.streamTimeouts.request: "1 day" is no time'],
  ["ingress.hosts[0]=sonde.example.com:443", 'ingress.hosts: "sonde.example.com:443" is no name of a host'],
  ["ingress.tls[0].hosts[0]=Sonde", 'ingress.tls[0].hosts: "Sonde" is no name of a host'],
  ["ingress.tls[0].secretName=Sonde TLS", 'ingress.tls[0].secretName: "Sonde TLS" is no name'],
  ["ingress.className=The Class", 'ingress.className: "The Class" is no name'],
  ["nats.bundled.syncInterval=often", 'nats.bundled.syncInterval: "often" is neither always nor a time'],
  ["monitoring.serviceMonitor.interval=30x", 'monitoring.serviceMonitor.interval: "30x" is no time'],
  ["autoscaling.keda.natsMonitoringEndpoint=http://nats", 'natsMonitoringEndpoint: "http://nats" is no host and port'],
  ["autoscaling.keda.prometheusAddress=prometheus:9090", 'prometheusAddress: "prometheus:9090" is no address'],
  ["tests.targetUrl=example.com", 'tests.targetUrl: "example.com" is no address'],
  ["allInOne.storage.size=many", 'allInOne.storage.size: "many" is no size such as 10Gi'],
  ["postgres.bundled.storage.size=10GB", 'postgres.bundled.storage.size: "10GB" is no size'],
  ["clickhouse.bundled.keeper.storage.size=2GB", 'clickhouse.bundled.keeper.storage.size: "2GB" is no size'],
  [
    "clickhouse.bundled.keeper.resources.requests.memory=1Mi",
    "clickhouse.bundled.keeper.resources.requests.memory: 1Mi is",
  ],
  ["clickhouse.embedded.storage.size=0Gi", 'clickhouse.embedded.storage.size: "0Gi" is no size'],
  ["nats.bundled.storage.storageClass=Fast", 'nats.bundled.storage.storageClass: "Fast" is no name'],
  ["allInOne.storage.existingClaim=My Claim", 'allInOne.storage.existingClaim: "My Claim" is no name'],
  ["secrets.app.existingSecret=My_Secret", 'secrets.app.existingSecret: "My_Secret" is no name that Kubernetes takes'],
  ["secrets.app.keys.setupCode=secret-key", "secrets.app.keys: secretKey and setupCode are two keys"],
];

/** Values near those above that must be taken. */
const taken: Readonly<Record<string, unknown>> = {
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
  // The whole name, as before there were parts.
  postgres: { bundled: { image: "registry.example.com:5000/library/postgres:18" } },
  services: { auth: { resources: { requests: { memory: "512Mi" }, limits: { memory: "512Mi" } } } },
  extraObjects: ["apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }"],
};

/** Names values that the chart takes though it must not, or refuses without the sentence that names the field. */
export async function findMissingRefusals(helm: string): Promise<string> {
  const faults: string[] = [];
  // All faults of a render are printed at once, so that some renders are enough for all.
  for (const batch of [...inBatches(bySchema), ...inBatches(byTemplate)]) {
    const { stderr } = await render(helm, [...needed, ...batch.flatMap(([values]) => ["--set", values])]);
    for (const [values, sentence] of batch) {
      if (!stderr.includes(sentence)) faults.push(`${values} is not refused by "${sentence}":\n${stderr.trim()}`);
    }
  }
  const { code, stderr } = await render(helm, ["-f", "-"], JSON.stringify(taken));
  if (code !== 0) faults.push(`values that can work are refused:\n${stderr.trim()}`);
  return faults.join("\n");
}

/**
 * Batches in which no value is set twice; several values together, and one that is removed, are a batch of their own.
 */
export function inBatches(refusals: readonly Refusal[]): Refusal[][] {
  const batches: { isAlone: boolean; keys: Set<string>; refusals: Refusal[] }[] = [];
  for (const refusal of refusals) {
    const keys = refusal[0].split(",").map((pair) => pair.split("=")[0]!);
    const isAlone = keys.length > 1 || refusal[0].endsWith("=null");
    const free = isAlone
      ? undefined
      : batches.find((batch) => !batch.isAlone && keys.every((key) => !batch.keys.has(key)));
    if (free === undefined) batches.push({ isAlone, keys: new Set(keys), refusals: [refusal] });
    else {
      keys.forEach((key) => free.keys.add(key));
      free.refusals.push(refusal);
    }
  }
  return batches.map((batch) => batch.refusals);
}
