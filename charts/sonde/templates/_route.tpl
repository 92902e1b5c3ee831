{{/* Backends of Ingress and HTTPRoute as JSON: path, Service and port, most specific path first. */}}
{{- define "sonde.routes" -}}
{{- $fullname := include "sonde.fullname" . -}}
{{- if eq .Values.mode "all-in-one" -}}
{{- list (dict "path" "/" "service" $fullname "port" (int .Values.service.port)) | toJson -}}
{{- else -}}
{{- $services := include "sonde.services" . | fromYaml -}}
{{- $agents := dict "path" "/agent/" "service" (printf "%s-agent-ingest" $fullname) "port" (int (index $services "agent-ingest").port) -}}
{{- $all := dict "path" "/" "service" (printf "%s-gateway" $fullname) "port" (int .Values.service.port) -}}
{{- list $agents $all | toJson -}}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "given" list): public host names as JSON; defaults to the host of publicUrl, else empty (any). */}}
{{- define "sonde.hosts" -}}
{{- if .given -}}{{ .given | toJson }}
{{- else if .root.Values.publicUrl -}}{{ list (regexReplaceAll ":[0-9]+$" (urlParse .root.Values.publicUrl).host "") | toJson }}
{{- else -}}[]{{- end -}}
{{- end -}}
