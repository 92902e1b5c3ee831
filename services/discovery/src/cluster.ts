import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesListObject,
  makeInformer,
  Observable,
  type RequestContext,
  type ResponseContext,
} from "@kubernetes/client-node";
import type { Log } from "@sonde/kit/service/log";
import { reportWait } from "@sonde/kit/service/waiting";
import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterKind, type ClusterObject, isAnnotated } from "./translate.ts";

export type Cluster = {
  /** True after everything was listed once. While the API server is unavailable, the last known objects stay. */
  isListed(): boolean;
  absent(): ReadonlySet<ClusterKind>;
  objects(): { kind: ClusterKind; object: ClusterObject }[];
};
type Watching = { kind: ClusterKind; state: "listing" | "listed" | "absent"; list(): readonly ClusterObject[] };

const apis: Record<ClusterKind, { group?: string; version: string; plural: string }> = {
  Ingress: { group: "networking.k8s.io", version: "v1", plural: "ingresses" },
  HTTPRoute: { group: "gateway.networking.k8s.io", version: "v1", plural: "httproutes" },
  Service: { version: "v1", plural: "services" },
};
const [listTimeoutMs, firstWaitMs, maxWaitMs, absentWaitMs] = [30_000, 1_000, 60_000, 600_000];
const pageSize = 500;

export type ClusterOptions = {
  config: KubeConfig;
  /** Empty: all namespaces. */
  namespaces: readonly string[];
  log: Log;
  onChange(): void;
};

/** Lists and watches every kind; starts again with a new list when a watch ends. */
export function watchCluster({ config, namespaces, log, onChange }: ClusterOptions): Cluster & { stop(): void } {
  const over = new AbortController();
  const { signal } = over;
  const places: (string | undefined)[] = namespaces.length === 0 ? [undefined] : [...new Set(namespaces)];
  const watched = places.flatMap((namespace) =>
    (Object.keys(apis) as ClusterKind[]).map((kind) => {
      const watching: Watching = { kind, state: "listing", list: () => [] };
      void keepWatching(watching, namespace);
      return watching;
    }),
  );

  async function keepWatching(watching: Watching, namespace: string | undefined): Promise<void> {
    const { kind } = watching;
    const wait = reportWait(log, `${apis[kind].plural} of ${namespace ?? "all namespaces"}`);
    for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, maxWaitMs)) {
      let wasListed = false;
      const list = async () => {
        const found = await listAnnotated(config, kind, namespace, signal);
        wasListed = true;
        return found;
      };
      const ended = Promise.withResolvers<unknown>();
      const informer = makeInformer<ClusterObject>(config, pathOf(kind, namespace), list);
      const stop = () => {
        ended.resolve(undefined);
        void informer.stop();
      };
      signal.addEventListener("abort", stop, { once: true });
      informer.on("error", ended.resolve);
      informer.on("change", onChange);
      await informer.start().catch(ended.resolve);
      if (wasListed) {
        watching.state = "listed";
        watching.list = () => informer.list();
        waitMs = firstWaitMs;
        wait.over();
        onChange();
      }
      const fault = await ended.promise;
      signal.removeEventListener("abort", stop);
      await informer.stop();
      if (signal.aborted) return;
      const isAbsent = kind === "HTTPRoute" && watching.state !== "listed" && statusOf(fault) === 404;
      if (isAbsent && watching.state !== "absent") {
        log.info({ kind }, "kind does not exist in the cluster");
        watching.state = "absent";
        onChange();
      } else if (!isAbsent) wait.failed(briefly(fault));
      await sleep(isAbsent ? absentWaitMs : waitMs, undefined, { signal }).catch(() => {});
    }
  }

  return {
    isListed: () => watched.every(({ state }) => state !== "listing"),
    absent: () => new Set(watched.filter(({ state }) => state === "absent").map(({ kind }) => kind)),
    objects: () =>
      watched.flatMap(({ kind, list }) =>
        list()
          .filter(isAnnotated)
          .map((object) => ({ kind, object })),
      ),
    stop: () => over.abort(),
  };
}

function pathOf(kind: ClusterKind, namespace: string | undefined): string {
  const { group, version, plural } = apis[kind];
  const base = group === undefined ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`;
}

/** Reads in pages and keeps only annotated objects, because a cluster may have many others. */
async function listAnnotated(
  config: KubeConfig,
  kind: ClusterKind,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<KubernetesListObject<ClusterObject>> {
  const { group, version, plural } = apis[kind];
  const within = {
    pre(context: RequestContext) {
      context.setSignal(AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)]));
      return new Observable(Promise.resolve(context));
    },
    post: (context: ResponseContext) => new Observable(Promise.resolve(context)),
  };
  const options = { middleware: [within], middlewareMergeStrategy: "append" as const };
  const core = config.makeApiClient(CoreV1Api);
  const others = config.makeApiClient(CustomObjectsApi);
  const items: ClusterObject[] = [];
  for (let next: string | undefined; ;) {
    const page = { limit: pageSize, ...(next !== undefined && { _continue: next }) };
    const named = { ...page, group: group ?? "", version, plural };
    const list: KubernetesListObject<ClusterObject> =
      group === undefined
        ? await (namespace === undefined
            ? core.listServiceForAllNamespaces(page, options)
            : core.listNamespacedService({ ...page, namespace }, options))
        : await (namespace === undefined
            ? others.listClusterCustomObject(named, options)
            : others.listNamespacedCustomObject({ ...named, namespace }, options));
    items.push(...list.items.filter(isAnnotated));
    next = list.metadata?._continue ?? (list.metadata as { continue?: string } | undefined)?.continue;
    if (!next) return { metadata: list.metadata ?? {}, items };
  }
}

const statusOf = (fault: unknown) => (fault instanceof ApiException ? fault.code : undefined);

/** The message of an ApiException contains the whole response. */
const briefly = (fault: unknown): unknown =>
  fault instanceof ApiException
    ? `the API server responded with ${fault.code}`
    : (fault ?? "the connection was closed");
