{{/* Prefix of all resource names. */}}
{{- define "sonde.fullname" -}}
{{- if .Values.fullnameOverride -}}{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "sonde.name" .) .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name (include "sonde.name" .) | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "sonde.name" -}}{{ default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}{{- end -}}

{{/*
A component is (dict "root" $ "name" "gateway"), with "pool" for a pool of probe runners, and "resource" if its resources
have another name.
*/}}

{{/* Name of a component's resources. */}}
{{- define "sonde.resource" -}}
{{- .resource | default (list (include "sonde.fullname" .root) .name .pool | compact | join "-") -}}
{{- end -}}

{{/* Labels that select a component's pods; they never change. */}}
{{- define "sonde.selectorLabels" -}}
app.kubernetes.io/name: {{ include "sonde.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- with .pool }}
pool: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Labels of a component's resources. */}}
{{- define "sonde.labels" -}}
{{ include "sonde.selectorLabels" . }}
app.kubernetes.io/part-of: sonde
app.kubernetes.io/version: {{ regexReplaceAll "@.*$" .root.Values.image.tag "" | default .root.Chart.AppVersion | trunc 63 | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* `metadata` of a component's resource, with its own "annotations". */}}
{{- define "sonde.metadata" -}}
name: {{ include "sonde.resource" . }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "sonde.labels" . | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "name" "gateway"): name of a Sonde image, or of the "image" given in parts or as one string. */}}
{{- define "sonde.image" -}}
{{- $own := .root.Values.image -}}
{{- $image := .image -}}
{{- if not $image -}}
  {{- $image = eq .name "setup" | ternary .root.Values.setup.image "" | default (dict
        "registry" $own.registry "repository" (printf "%s/%s" $own.repository .name)
        "tag" ($own.tag | default .root.Chart.AppVersion) "digest" (index ($own.digests | default dict) .name)) -}}
{{- end -}}
{{- if kindIs "string" $image -}}
{{ $image }}
{{- else -}}
{{ list (.root.Values.global.imageRegistry | default $image.registry) $image.repository | compact | join "/" }}{{ with $image.tag }}:{{ . }}{{ end }}{{ with $image.digest }}@{{ . }}{{ end }}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "userId" 65532): `securityContext` of a pod, for the level `restricted` of Pod Security. */}}
{{- define "sonde.podSecurity" -}}
{{- $own := dict "runAsNonRoot" true "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- if not .root.Values.openshift }}{{ $own = merge $own (dict "runAsUser" .userId "runAsGroup" .userId "fsGroup" .userId) }}{{ end -}}
{{- mergeOverwrite $own (deepCopy .root.Values.podSecurityContext) | toYaml -}}
{{- end -}}

{{/* The same for a container. */}}
{{- define "sonde.containerSecurity" -}}
{{- $own := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- mergeOverwrite $own (deepCopy .root.Values.containerSecurityContext) | toYaml -}}
{{- end -}}

{{/* files/services.yaml as a map. */}}
{{- define "sonde.services" -}}{{ .Files.Get "files/services.yaml" }}{{- end -}}

{{/*
All Deployments, as a list under `items`: `service`, `pool` (probe runners only), `what` (entry of files/services.yaml),
`settings` (`defaults`, then `services.<service>`, then `runnerPools.<pool>`), `embedded` (includes ClickHouse, on a
volume) and `scaledBy` (`hpa`, `keda` or nothing).
*/}}
{{- define "sonde.instances" -}}
{{- $items := list -}}
{{- range $service, $what := include "sonde.services" . | fromYaml -}}
  {{- $embedded := and (eq $service "metrics") (eq $.Values.clickhouse.mode "embedded") -}}
  {{- range $pool, $own := eq $service "probe-runner" | ternary $.Values.runnerPools (dict "" dict) -}}
    {{- $settings := mergeOverwrite (dict) (deepCopy $.Values.defaults) (index $.Values.services $service | default dict | deepCopy) (deepCopy ($own | default dict)) -}}
    {{- $scaledBy := $settings.autoscaling.enabled | ternary "hpa" "" -}}
    {{- if and $.Values.autoscaling.keda.enabled (has $service (list "agent-ingest" "metrics")) }}{{ $scaledBy = "keda" }}{{ end -}}
    {{- if $embedded }}{{ $scaledBy = "" }}{{ end -}}
    {{- $items = append $items (dict "service" $service "pool" $pool "what" $what "settings" $settings "embedded" $embedded "scaledBy" $scaledBy) -}}
  {{- end -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* (dict "pool" "eu" "settings" …): location of a pool. */}}
{{- define "sonde.location" -}}
{{ .settings.location | default .pool }}
{{- end -}}

{{/* Locations with runners, without duplicates. Each has its own NATS user. */}}
{{- define "sonde.locations" -}}
{{- $locations := list -}}
{{- range $pool, $settings := .Values.runnerPools -}}
  {{- $locations = append $locations (include "sonde.location" (dict "pool" $pool "settings" ($settings | default dict))) -}}
{{- end -}}
{{- $locations | uniq | sortAlpha | toJson -}}
{{- end -}}

{{/* Name of the Service for users and agents; its port is `http`. */}}
{{- define "sonde.entry" -}}
{{ include "sonde.fullname" . }}{{ eq .Values.mode "distributed" | ternary "-gateway" "" }}
{{- end -}}

{{/* Whether the setup Job creates PostgreSQL roles; otherwise each service's URL is in a Secret. */}}
{{- define "sonde.makesRoles" -}}
{{- if or (ne .Values.postgres.mode "external") .Values.postgres.external.adminKey }}true{{ end -}}
{{- end -}}
