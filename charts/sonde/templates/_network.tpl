{{/*
Parts of NetworkPolicies. Components are the services of files/services.yaml and `postgres`, `nats`, `clickhouse`, `clickhouse-keeper`, `setup`
(creates roles and streams), `secrets` (generates Secrets), `test` (helm test), `discovery`, `backup`, `restore` and
`all-in-one`.
*/}}

{{/* (dict "root" $ "name" "gateway"): the pods of a component, as a peer. */}}
{{- define "sonde.network.peer" -}}
- podSelector:
    matchLabels: {{- include "sonde.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* (dict "root" $ "names" (list "auth")): the pods of several components, as peers. */}}
{{- define "sonde.network.peers" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: {{ include "sonde.name" .root }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: {{ .names | sortAlpha | toJson }} }
{{- end -}}

{{/* (dict "root" $ "name" "gateway"): metadata and pod selector of a component's policy. */}}
{{- define "sonde.network.head" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "sonde.fullname" .root }}-{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "sonde.labels" . | nindent 4 }}
  {{- with .root.Values.commonAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  podSelector:
    matchLabels: {{- include "sonde.selectorLabels" . | nindent 6 }}
{{- end -}}

{{/* Peers that forward users and agents, as `from`; empty if all are allowed. */}}
{{- define "sonde.network.visitors" -}}
{{- with .Values.networkPolicy.ingressFrom }}{{ toYaml . }}{{ end -}}
{{- end -}}

{{/* Egress to NATS: the bundled servers, or the port of external ones. */}}
{{- define "sonde.network.toNats" -}}
{{- if eq .Values.nats.mode "bundled" -}}
- to: {{- include "sonde.network.peer" (dict "root" . "name" "nats") | nindent 4 }}
  ports: [{ protocol: TCP, port: 4222 }]
{{- else -}}
- ports: [{ protocol: TCP, port: {{ .Values.nats.external.port }} }]
{{- end }}
{{- end -}}

{{/* Egress to PostgreSQL. */}}
{{- define "sonde.network.toPostgres" -}}
{{- if eq .Values.postgres.mode "bundled" -}}
- to: {{- include "sonde.network.peer" (dict "root" . "name" "postgres") | nindent 4 }}
  ports: [{ protocol: TCP, port: 5432 }]
{{- else if eq .Values.postgres.mode "cnpg" -}}
- to:
    - podSelector:
        matchLabels: { cnpg.io/cluster: {{ include "sonde.fullname" . }}-postgres }
  ports: [{ protocol: TCP, port: 5432 }]
{{- else -}}
- ports: [{ protocol: TCP, port: {{ .Values.postgres.external.port }} }]
{{- end }}
{{- end -}}

{{/* Egress to ClickHouse; none if it is embedded. */}}
{{- define "sonde.network.toClickhouse" -}}
{{- if eq .Values.clickhouse.mode "bundled" -}}
- to: {{- include "sonde.network.peer" (dict "root" . "name" "clickhouse") | nindent 4 }}
  ports: [{ protocol: TCP, port: 8123 }]
{{- else if eq .Values.clickhouse.mode "external" -}}
- ports: [{ protocol: TCP, port: {{ .Values.clickhouse.external.port }} }]
{{- end }}
{{- end -}}

{{/* Egress to the port of a URL. */}}
{{- define "sonde.network.toAddress" -}}
{{- $address := urlParse . }}
{{- $standard := ternary "443" "80" (eq $address.scheme "https") -}}
- ports: [{ protocol: TCP, port: {{ regexFind ":[0-9]+$" $address.host | trimPrefix ":" | default $standard }} }]
{{- end -}}

{{/* Egress to the API server by port; its address is unknown here. */}}
{{- define "sonde.network.toApiServer" -}}
- ports:
    {{- range .Values.networkPolicy.apiServerPorts }}
    - { protocol: TCP, port: {{ . }} }
    {{- end }}
{{- end -}}

{{/* Egress to the trace collector. */}}
{{- define "sonde.network.toOtlp" -}}
{{- with .Values.otlpEndpoint }}{{ include "sonde.network.toAddress" . }}{{ end }}
{{- end -}}

{{/* (dict "root" $ "field" "database"): names of the services with this field, as JSON. */}}
{{- define "sonde.network.with" -}}
{{- $names := list }}
{{- range $name, $service := include "sonde.services" .root | fromYaml }}
{{- if index $service $.field }}{{ $names = append $names $name }}{{ end }}
{{- end }}
{{- $names | toJson }}
{{- end -}}

{{/* (dict "root" $ "target" "clickhouse"): names of the services whose `talksTo` contains the target, as JSON. */}}
{{- define "sonde.network.talkers" -}}
{{- $names := list }}
{{- range $name, $service := include "sonde.services" .root | fromYaml }}
{{- if has $.target ($service.talksTo | default list) }}{{ $names = append $names $name }}{{ end }}
{{- end }}
{{- $names | toJson }}
{{- end -}}
