{{/* The name that all resources begin with. */}}
{{- define "sonde.fullname" -}}
{{- if .Values.fullnameOverride -}}{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "sonde.name" .) .Release.Name -}}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}{{ printf "%s-%s" .Release.Name (include "sonde.name" .) | trunc 40 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "sonde.name" -}}{{ default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}{{- end -}}

{{/* (dict "root" $ "name" "gateway"): labels that select a component's pods; they never change. */}}
{{- define "sonde.selectorLabels" -}}
app.kubernetes.io/name: {{ include "sonde.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{/* (dict "root" $ "name" "gateway"): labels of a component's resources. */}}
{{- define "sonde.labels" -}}
{{ include "sonde.selectorLabels" . }}
app.kubernetes.io/part-of: sonde
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "name" "gateway"): an image of Sonde. */}}
{{- define "sonde.image" -}}
{{- with .root.Values.image.registry }}{{ . }}/{{ end -}}
{{ .root.Values.image.repository }}/{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{/* Of a pod, for the level `restricted` of Pod Security. Give a user id as the argument. */}}
{{- define "sonde.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* Of a container, for the same. */}}
{{- define "sonde.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* What each service is: files/services.yaml as a map. */}}
{{- define "sonde.services" -}}{{ .Files.Get "files/services.yaml" }}{{- end -}}
