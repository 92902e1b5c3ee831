{{/* (dict "root" $ "of" "postgres"): name of the Secret of the app, a server or the test. */}}
{{- define "sonde.secretName" -}}
{{- $v := .root.Values -}}
{{- $given := dict "app" $v.secrets.app.existingSecret "service-keys" $v.secrets.serviceKeys.existingSecret "postgres" $v.postgres.existingSecret
      "nats" $v.nats.bundled.existingSecret "clickhouse" $v.clickhouse.bundled.existingSecret "test" $v.tests.existingSecret -}}
{{- index $given .of | default (printf "%s-%s" (include "sonde.fullname" .root) .of) -}}
{{- end -}}

{{/* (list name secret key): an environment variable from a Secret; a fourth entry makes it optional. */}}
{{- define "sonde.secretEnv" -}}
- name: {{ index . 0 }}
  valueFrom: { secretKeyRef: { name: {{ index . 1 | quote }}, key: {{ index . 2 | quote }}{{ if gt (len .) 3 }}, optional: true{{ end }} } }
{{- end -}}

{{/*
(dict "root" $ "reads" list "retains" list "keys" list "master" bool): the settings of values.yaml as variables. The lists are
those of files/services.yaml. HOST and OPS_PORT are set in the images.
*/}}
{{- define "sonde.settingsEnv" -}}
{{- $v := .root.Values -}}
- { name: LOG_LEVEL, value: {{ $v.logLevel | quote }} }
{{- with $v.otlpEndpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- $root := .root }}
{{- range .keys }}
{{- /* An existing Secret may lack keys that later versions added; the services start without them. */}}
{{- $place := list (printf "SONDE_KEY_%s" (upper .)) (include "sonde.secretName" (dict "root" $root "of" "service-keys")) . }}
{{ include "sonde.secretEnv" (has . (list "signin" "callout") | ternary (append $place "optional") $place) }}
{{- end }}
{{- if .master }}
{{ include "sonde.secretEnv" (list "SONDE_SECRET_KEY" (include "sonde.secretName" (dict "root" .root "of" "app")) $v.secrets.app.keys.secretKey) }}
{{- end }}
{{- $days := dict "raw" $v.retention.rawDays "rollups" $v.retention.rollupDays "incidents" $v.retention.incidentDays "audit" $v.retention.auditDays }}
{{- $variables := dict "raw" "RETENTION_RAW_DAYS" "rollups" "RETENTION_ROLLUP_DAYS" "incidents" "RETENTION_INCIDENT_DAYS" "audit" "RETENTION_AUDIT_DAYS" }}
{{- range .retains }}
- { name: {{ index $variables . }}, value: {{ index $days . | quote }} }
{{- end }}
{{- if has "minimumInterval" .reads }}
- { name: MONITOR_MIN_INTERVAL_SECONDS, value: {{ $v.minimumIntervalSeconds | quote }} }
{{- end }}
{{- if and (has "publicUrl" .reads) $v.publicUrl }}
- { name: PUBLIC_URL, value: {{ $v.publicUrl | quote }} }
{{- end }}
{{- if and (has "trustedProxies" .reads) $v.trustedProxies }}
- { name: TRUSTED_PROXIES, value: {{ join "," $v.trustedProxies | quote }} }
{{- end }}
{{- if and (has "deniedRanges" .reads) (not (kindIs "invalid" $v.deniedRanges)) }}
- { name: PROBE_DENY_CIDRS, value: {{ join "," $v.deniedRanges | default "none" | quote }} }
{{- end }}
{{- if and (has "caFile" .reads) (or $v.caFile.configMap $v.caFile.secret) }}
- { name: CA_FILE, value: /etc/sonde/ca/ca.crt }
{{- end }}
{{- if and (has "config" .reads) (or $v.config.files $v.config.existingConfigMap) }}
- { name: SONDE_CONFIG_DIR, value: /etc/sonde/config }
- { name: SONDE_CONFIG_ALLOW_DELETE, value: {{ $v.config.allowDelete | quote }} }
{{- end }}
{{- if has "registration" .reads }}
- { name: AUTH_REGISTRATION, value: {{ $v.registration | quote }} }
{{- /* YAML 1.1 parses the default "off" as a boolean. */}}
{{- if ne $v.secondFactor "off" }}
- { name: AUTH_FACTOR, value: {{ $v.secondFactor | quote }} }
{{- end }}
{{ include "sonde.secretEnv" (list "AUTH_SETUP_CODE" (include "sonde.secretName" (dict "root" .root "of" "app")) $v.secrets.app.keys.setupCode) }}
{{- end }}
{{- if and (has "oidc" .reads) $v.oidc.issuer }}
{{- with $v.oidc }}
- { name: OIDC_ISSUER, value: {{ .issuer | quote }} }
- { name: OIDC_CLIENT_ID, value: {{ .clientId | quote }} }
{{- if .existingSecret }}
{{ include "sonde.secretEnv" (list "OIDC_CLIENT_SECRET" .existingSecret .key) }}
{{- end }}
{{- range $variable, $value := dict "OIDC_TOKEN_AUTH" .tokenAuth "OIDC_NAME" .name "OIDC_SCOPES" .scopes "OIDC_ROLE_CLAIM" .roleClaim "OIDC_OTHERWISE" .otherwise "OIDC_ROLES" (.roles | empty | ternary "" (toJson .roles)) }}
{{- if $value }}
- { name: {{ $variable }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (has "selfWatch" .reads) $v.selfWatch.existingSecret }}
{{ include "sonde.secretEnv" (list "SELF_WATCH_URL" $v.selfWatch.existingSecret $v.selfWatch.key) }}
{{- end }}
{{- if and (has "agentDownloads" .reads) (not $v.agentDownloads.bundled) }}
- { name: AGENT_DOWNLOAD_URL, value: {{ $v.agentDownloads.url | quote }} }
- { name: AGENT_DOWNLOAD_KEY, value: {{ $v.agentDownloads.key | quote }} }
{{- end }}
{{- end -}}

{{/* (dict "root" $ "user" "gateway" "variable" "NATS_URL"): the NATS URL of a user; the administrator is `sonde`. */}}
{{- define "sonde.natsEnv" -}}
{{- $nats := .root.Values.nats -}}
{{- $admin := eq .user "sonde" -}}
{{- if eq $nats.mode "bundled" -}}
{{ include "sonde.secretEnv" (list "NATS_PASSWORD" (include "sonde.secretName" (dict "root" .root "of" "nats")) ($admin | ternary "admin" .user)) }}
- { name: {{ .variable }}, value: "nats://{{ .user }}:$(NATS_PASSWORD)@{{ include "sonde.fullname" .root }}-nats:4222" }
{{- else -}}
{{ include "sonde.secretEnv" (list .variable $nats.external.existingSecret ($admin | ternary $nats.external.adminKey .user)) }}
{{- end }}
- { name: NATS_STREAM_REPLICAS, value: {{ eq $nats.mode "bundled" | ternary $nats.bundled.replicas $nats.external.streamReplicas | quote }} }
{{- end -}}

{{/* Host, port, database and parameters of the PostgreSQL URL, if the setup Job creates roles. */}}
{{- define "sonde.postgresPlace" -}}
{{- $external := .Values.postgres.external -}}
{{- if eq .Values.postgres.mode "external" -}}
{{ required "postgres.external.host is needed where adminKey is given" $external.host }}:{{ $external.port }}/{{ $external.database }}{{ with $external.parameters }}?{{ . }}{{ end }}
{{- else -}}
{{ include "sonde.fullname" . }}-postgres{{ eq .Values.postgres.mode "cnpg" | ternary "-rw" "" }}:5432/sonde
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "service" "auth"): its PostgreSQL URL. */}}
{{- define "sonde.databaseEnv" -}}
{{- $external := .root.Values.postgres.external -}}
{{- if include "sonde.makesRoles" .root -}}
{{ include "sonde.secretEnv" (list "DATABASE_PASSWORD" (include "sonde.secretName" (dict "root" .root "of" "postgres")) .service) }}
- { name: DATABASE_URL, value: "postgres://sonde_{{ replace "-" "_" .service }}:$(DATABASE_PASSWORD)@{{ include "sonde.postgresPlace" .root }}" }
{{- else -}}
{{ include "sonde.secretEnv" (list "DATABASE_URL" $external.existingSecret (index $external.keys .service | default $external.keys.default)) }}
{{- end -}}
{{- end -}}

{{- define "sonde.clickhouseEnv" -}}
{{- $clickhouse := .Values.clickhouse -}}
{{- if eq $clickhouse.mode "bundled" -}}
{{ include "sonde.secretEnv" (list "CLICKHOUSE_PASSWORD" (include "sonde.secretName" (dict "root" . "of" "clickhouse")) "password") }}
- { name: CLICKHOUSE_URL, value: "http://sonde:$(CLICKHOUSE_PASSWORD)@{{ include "sonde.fullname" . }}-clickhouse:8123/sonde" }
{{- if gt (int $clickhouse.bundled.replicas) 1 }}
- { name: CLICKHOUSE_REPLICATED, value: "true" }
{{- end }}
{{- else if eq $clickhouse.mode "external" -}}
{{ include "sonde.secretEnv" (list "CLICKHOUSE_URL" $clickhouse.external.existingSecret $clickhouse.external.key) }}
{{- if $clickhouse.external.replicated }}
- { name: CLICKHOUSE_REPLICATED, value: "true" }
{{- end }}
{{- end -}}
{{- end -}}

{{/* (dict "own" text "given" list): the chart's variables, overridden by `env`. */}}
{{- define "sonde.env" -}}
{{- $variables := list -}}
{{- $names := list -}}
{{- range .given }}{{ $names = append $names .name }}{{ end -}}
{{- range .own | fromYamlArray -}}
  {{- if not (has .name $names) }}{{ $variables = append $variables . }}{{ end -}}
{{- end -}}
{{- concat $variables (.given | default list) | toYaml -}}
{{- end -}}

{{/* (dict "root" $ "instance" …): variables of a service, without `env`. */}}
{{- define "sonde.serviceEnv" -}}
{{- $service := .instance.service -}}
{{- $what := .instance.what -}}
{{ include "sonde.settingsEnv" (dict "root" .root "reads" ($what.reads | default list) "retains" $what.retains "keys" $what.keys) }}
{{- $location := include "sonde.location" .instance }}
{{ include "sonde.natsEnv" (dict "root" .root "user" (eq $service "probe-runner" | ternary (printf "probe-runner-%s" $location) $service) "variable" "NATS_URL") }}
{{- if $what.database }}
{{ include "sonde.databaseEnv" (dict "root" .root "service" $service) }}
{{- end }}
{{- if eq $service "gateway" }}
- { name: AGENT_INGEST_URL, value: "http://{{ include "sonde.fullname" .root }}-agent-ingest:8081" }
- { name: GATEWAY_UNREADY_SECONDS, value: "5" }
{{- else if eq $service "agent-ingest" }}
- { name: AGENT_INGEST_HOST, value: "::" }
{{- else if eq $service "probe-runner" }}
- { name: PROBE_LOCATION, value: {{ $location | quote }} }
{{- else if and (eq $service "metrics") (not .instance.embedded) }}
{{ include "sonde.clickhouseEnv" .root }}
{{- else if and (eq $service "metrics") .root.Values.backup.enabled }}
{{ include "sonde.backupToken" .root }}
{{- end }}
{{- end -}}
