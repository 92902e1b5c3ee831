{{/* (dict "component" … "settings" …): metadata of pods. "checksum" is of configuration that pods read once. */}}
{{- define "sonde.podMetadata" -}}
labels:
  {{- include "sonde.selectorLabels" .component | nindent 2 }}
  app.kubernetes.io/part-of: sonde
  {{- with merge (dict) (.settings.podLabels | default dict) .component.root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.settings.podAnnotations | default dict) (.checksum | default "" | empty | ternary dict (dict "checksum/config" .checksum)) }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* (dict "component" … "settings" … "userId" 65532): what all pod specs begin with. */}}
{{- define "sonde.podSpec" -}}
{{- $values := .component.root.Values -}}
serviceAccountName: {{ .serviceAccount | default (include "sonde.fullname" .component.root) }}
automountServiceAccountToken: {{ .serviceAccount | default "" | empty | not }}
# Variables of service links, SONDE_…_PORT, could be taken for settings.
enableServiceLinks: false
{{- with $values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
securityContext: {{- include "sonde.podSecurity" (.userId | default 65532) | nindent 2 }}
{{- with .settings.priorityClassName | default $values.defaults.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .settings.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A component's pods on different nodes, and in different zones, as far as that is possible. */}}
{{- define "sonde.topologySpread" -}}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "sonde.selectorLabels" $ | nindent 8 }}
  {{- end }}
{{- end -}}

{{/* (dict "root" $ "name" "gateway"), or "image" of values.yaml for one that is not of Sonde: what all containers begin with. */}}
{{- define "sonde.container" -}}
{{- $values := .root.Values.image -}}
image: {{ include "sonde.image" . | quote }}
imagePullPolicy: {{ $values.pullPolicy | default (ternary "Never" "IfNotPresent" (and (not .image) $values.preloaded)) }}
securityContext: {{- include "sonde.containerSecurity" . | nindent 2 }}
{{- end -}}

{{/* Of what has Sonde's ops port. Liveness asks nothing of PostgreSQL, NATS or other services; readiness does. */}}
{{- define "sonde.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: ops }
  periodSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet: { path: /healthz, port: ops }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: ops }
  periodSeconds: 3
  timeoutSeconds: 3
{{- end -}}

{{/* Fills the volume `agents` with the archives of agents. "resources" are those of the container that shows them. */}}
{{- define "sonde.agentsInit" -}}
initContainers:
  - name: agents
    {{- include "sonde.container" (dict "root" .root "name" "agents") | nindent 4 }}
    args: [/agents]
    resources: {{- toYaml .resources | nindent 6 }}
    volumeMounts:
      - { name: agents, mountPath: /agents }
{{- end -}}

{{/* (dict "component" … "storage" … "claim" "data"): a volume of a StatefulSet. Its labels must never change. */}}
{{- define "sonde.claimTemplate" -}}
volumeClaimTemplates:
  - metadata:
      name: data
      labels: {{- include "sonde.selectorLabels" .component | nindent 8 }}
    spec: {{- include "sonde.claimSpec" .storage | nindent 6 }}
{{- end -}}

{{- define "sonde.claimSpec" -}}
accessModes: [ReadWriteOnce]
{{- with .storageClass }}
storageClassName: {{ . | quote }}
{{- end }}
resources: { requests: { storage: {{ .size | quote }} } }
{{- end -}}

{{/* (dict "component" … "maxUnavailable" 1) */}}
{{- define "sonde.podDisruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "sonde.metadata" .component | nindent 2 }}
spec:
  maxUnavailable: {{ .maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "sonde.selectorLabels" .component | nindent 6 }}
{{- end -}}

{{/* (dict "component" … "ports" (dict name port) "type" … "headless" bool) */}}
{{- define "sonde.service" -}}
apiVersion: v1
kind: Service
metadata: {{- include "sonde.metadata" .component | nindent 2 }}
spec:
  type: {{ .type | default "ClusterIP" }}
  {{- if .headless }}
  clusterIP: None
  # Members of NATS find each other, and the setup Job finds PostgreSQL, before they are ready.
  publishNotReadyAddresses: true
  {{- end }}
  selector: {{- include "sonde.selectorLabels" .component | nindent 4 }}
  ports:
    {{- range $name, $port := .ports }}
    - { name: {{ $name }}, port: {{ $port }}, targetPort: {{ $name }} }
    {{- end }}
{{- end -}}
