{{/* (dict "root" $ "resource" name "labels" dict): metadata of resources that monitoring tools find by their own labels. */}}
{{- define "sonde.monitoring.metadata" -}}
name: {{ .resource }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "sonde.labels" (dict "root" .root "name" "monitoring") | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.commonAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
