{{/* (dict "component" … "settings" …): pod metadata. "checksum" and "secrets" restart pods when configuration or Secrets change. */}}
{{- define "sonde.podMetadata" -}}
labels:
  {{- include "sonde.selectorLabels" .component | nindent 2 }}
  app.kubernetes.io/part-of: sonde
  {{- with merge (dict) (.settings.podLabels | default dict) .component.root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- $sums := dict -}}
{{- with .checksum }}{{ $_ := set $sums "checksum/config" . }}{{ end -}}
{{- with .secrets }}{{ $_ := set $sums "checksum/secrets" . }}{{ end -}}
{{- with merge (dict) (.settings.podAnnotations | default dict) $sums }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* (dict "component" … "settings" … "userId" 65532): common part of pod specs. */}}
{{- define "sonde.podSpec" -}}
{{- $values := .component.root.Values -}}
serviceAccountName: {{ .serviceAccount | default (include "sonde.fullname" .component.root) }}
automountServiceAccountToken: {{ .serviceAccount | default "" | empty | not }}
# The variables of service links (SONDE_…_PORT) could collide with settings.
enableServiceLinks: false
{{- with include "sonde.pullSecrets" .component.root | fromJsonArray }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
securityContext: {{- include "sonde.podSecurity" (dict "root" .component.root "userId" (.userId | default 65532)) | nindent 2 }}
{{- with .settings.priorityClassName | default $values.defaults.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .settings.dnsConfig | default $values.defaults.dnsConfig }}
dnsConfig: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .settings.hostAliases | default $values.defaults.hostAliases }}
hostAliases: {{- toYaml . | nindent 2 }}
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

{{/* Spreads a component's pods over nodes and zones, if possible. */}}
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

{{/* (dict "root" $ "name" "gateway"), or "image" of values.yaml for third-party images: common part of containers. */}}
{{- define "sonde.container" -}}
{{- $values := .root.Values.image -}}
image: {{ include "sonde.image" . | quote }}
imagePullPolicy: {{ $values.pullPolicy | default (ternary "Never" "IfNotPresent" (and (not .image) $values.preloaded)) }}
securityContext: {{- include "sonde.containerSecurity" . | nindent 2 }}
{{- end -}}

{{/* Probes of Sonde's ops port. Liveness is independent of PostgreSQL, NATS and other services; readiness is not. */}}
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

{{/*
Init containers of Sonde's pods: (dict "root" $ "settings" … "agents" bool "ca" bool "config" bool "restore" text). "agents" fills a
volume with the agent archives, "restore" is a container that runs first, "ca" mounts the certificates of caFile, and
"config" the configuration files.
*/}}
{{- define "sonde.initContainers" -}}
{{- if or .agents .restore .settings.initContainers }}
initContainers:
  {{- with .restore }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if .agents }}
  - name: agents
    {{- include "sonde.container" (dict "root" .root "name" "agents") | nindent 4 }}
    args: [/agents]
    resources: {{- toYaml (.resources | default .settings.resources) | nindent 6 }}
    volumeMounts:
      - { name: agents, mountPath: /agents }
  {{- end }}
  {{- with .settings.initContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "sonde.moreMounts" -}}
{{- if .agents }}
- { name: agents, mountPath: /agents, readOnly: true }
{{- end }}
{{- if .ca }}
- { name: ca, mountPath: /etc/sonde/ca, readOnly: true }
{{- end }}
{{- if .config }}
- { name: config, mountPath: /etc/sonde/config, readOnly: true }
{{- end }}
{{- with .settings.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "sonde.moreVolumes" -}}
{{- if .agents }}
- { name: agents, emptyDir: { sizeLimit: 1Gi } }
{{- end }}
{{- if .ca }}
{{- with .root.Values.caFile }}
- name: ca
  {{- if .secret }}
  secret: { secretName: {{ .secret | quote }}, items: [{ key: {{ .key | quote }}, path: ca.crt }] }
  {{- else }}
  configMap: { name: {{ .configMap | quote }}, items: [{ key: {{ .key | quote }}, path: ca.crt }] }
  {{- end }}
{{- end }}
{{- end }}
{{- if .config }}
- { name: config, configMap: { name: {{ .root.Values.config.existingConfigMap | default (printf "%s-config" (include "sonde.fullname" .root)) | quote }} } }
{{- end }}
{{- with .settings.extraVolumes }}
{{ toYaml . }}
{{- end }}
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

{{/* Common part of every Service. */}}
{{- define "sonde.ipFamilies" -}}
{{- with .Values.ipFamilyPolicy -}}
ipFamilyPolicy: {{ . }}
{{ end }}
{{- with .Values.ipFamilies -}}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end -}}

{{/* (dict "component" … "ports" (dict name port) "type" … "headless" bool "entry" `service` of values.yaml) */}}
{{- define "sonde.service" -}}
apiVersion: v1
kind: Service
metadata: {{- include "sonde.metadata" .component | nindent 2 }}
spec:
  type: {{ .type | default "ClusterIP" }}
  {{- include "sonde.ipFamilies" .component.root | nindent 2 }}
  {{- with .entry }}
  {{- with .loadBalancerClass }}
  loadBalancerClass: {{ . | quote }}
  {{- end }}
  {{- with .loadBalancerSourceRanges }}
  loadBalancerSourceRanges: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .externalTrafficPolicy }}
  externalTrafficPolicy: {{ . }}
  {{- end }}
  {{- end }}
  {{- if .headless }}
  clusterIP: None
  # NATS members must find each other, and the setup Job PostgreSQL, before they are ready.
  publishNotReadyAddresses: true
  {{- end }}
  selector: {{- include "sonde.selectorLabels" .component | nindent 4 }}
  ports:
    {{- $nodePort := (.entry | default dict).nodePort }}
    {{- range $name, $port := .ports }}
    - { name: {{ $name }}, port: {{ $port }}, targetPort: {{ $name }}{{ with $nodePort }}, nodePort: {{ . }}{{ end }} }
    {{- end }}
{{- end -}}
