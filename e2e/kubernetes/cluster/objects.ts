/** Only the fields that the scenarios read. */
export interface Meta {
  name: string;
  namespace: string;
  uid: string;
  labels?: Record<string, string>;
  deletionTimestamp?: string;
}

export interface Pod {
  metadata: Meta;
  spec: {
    automountServiceAccountToken?: boolean;
    nodeName?: string;
    containers: { name: string; resources?: { requests?: { cpu?: string; memory?: string } } }[];
    volumes?: { name: string; projected?: { sources: { serviceAccountToken?: unknown }[] } }[];
  };
  status: {
    phase: string;
    podIP?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

export interface ContainerStatus {
  name: string;
  ready: boolean;
  restartCount: number;
  state?: { waiting?: { reason: string; message?: string }; terminated?: { exitCode: number } };
  lastState?: { terminated?: { exitCode: number } };
}

export interface Workload {
  metadata: Meta;
  spec: { replicas?: number };
  status: { readyReplicas?: number; updatedReplicas?: number; observedGeneration?: number; replicas?: number };
}

export interface Service {
  metadata: Meta;
  spec: { clusterIP: string; ports: { name?: string; port: number; targetPort: number | string }[] };
}

export interface Volume {
  metadata: Meta;
  spec: { claimRef?: { name: string; namespace: string } };
  status: { phase: string };
}

export interface Event {
  reason: string;
  message: string;
  type: string;
  involvedObject: { kind: string; name: string };
}

export interface List<Item> {
  items: Item[];
}

export const componentOf = ({ metadata }: { metadata: Meta }): string =>
  metadata.labels?.["app.kubernetes.io/component"] ?? "";

/** Whether a pod is ready and not being deleted. */
export const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");
