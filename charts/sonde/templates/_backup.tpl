{{/* Whether a backup or restore uses a volume. */}}
{{- define "sonde.backupOnVolume" -}}
{{- if not (hasPrefix "s3://" .) }}true{{ end -}}
{{- end -}}

{{- define "sonde.backupClaim" -}}
{{ .Values.backup.storage.existingClaim | default (printf "%s-backup" (include "sonde.fullname" .)) }}
{{- end -}}

{{/* Volume with the archives. */}}
{{- define "sonde.backupVolume" -}}
- { name: backups, persistentVolumeClaim: { claimName: {{ include "sonde.backupClaim" . | quote }} } }
{{- end -}}

{{/* All-in-one creates its backups itself, because its servers are inside the pod. */}}
{{- define "sonde.ownBackupEnv" -}}
{{- with .Values.backup -}}
- { name: SONDE_BACKUP_SCHEDULE, value: {{ .schedule | quote }} }
- { name: SONDE_BACKUP_TO, value: {{ .destination | default "/backups/" | quote }} }
- { name: SONDE_BACKUP_KEEP, value: {{ .keep | quote }} }
- { name: SONDE_BACKUP_WITH_KEY, value: {{ .withKey | ternary "1" "0" | quote }} }
{{- end }}
{{- end -}}

{{/* Token with which a backup reads the embedded ClickHouse of metrics. */}}
{{- define "sonde.backupToken" -}}
{{ include "sonde.secretEnv" (list "BACKUP_TOKEN" (include "sonde.secretName" (dict "root" . "of" "backup")) "token") }}
{{- end -}}

{{/* Variables of the bucket. */}}
{{- define "sonde.bucketEnv" -}}
{{- with .Values.backup.existingSecret }}
envFrom: [{ secretRef: { name: {{ . | quote }} } }]
{{- end }}
{{- end -}}

{{/* Restores an archive into empty servers: as a Job for all services, or as an init container of all-in-one. */}}
{{- define "sonde.restoreContainer" -}}
{{- $v := .Values -}}
{{- $root := . -}}
{{- $distributed := eq $v.mode "distributed" -}}
{{- $ca := or $v.caFile.configMap $v.caFile.secret -}}
- name: restore
  {{- include "sonde.container" (dict "root" . "name" "all-in-one") | nindent 2 }}
  args: [restore, {{ $v.restore.from | quote }}{{ if not $distributed }}, --only-if-empty{{ end }}]
  env:
    {{- include "sonde.secretEnv" (list "SONDE_SECRET_KEY" (include "sonde.secretName" (dict "root" . "of" "app")) $v.secrets.app.keys.secretKey) | nindent 4 }}
    {{- if $distributed }}
    {{- range $service, $what := include "sonde.services" . | fromYaml }}
    {{- if $what.database }}
    {{- $name := snakecase $service | upper }}
    {{- if include "sonde.makesRoles" $root }}
    {{- include "sonde.secretEnv" (list (printf "DATABASE_PASSWORD_%s" $name) (include "sonde.secretName" (dict "root" $root "of" "postgres")) $service) | nindent 4 }}
    - { name: DATABASE_URL_{{ $name }}, value: "postgres://sonde_{{ replace "-" "_" $service }}:$(DATABASE_PASSWORD_{{ $name }})@{{ include "sonde.postgresPlace" $root }}" }
    {{- else }}
    {{- $external := $v.postgres.external }}
    {{- include "sonde.secretEnv" (list (printf "DATABASE_URL_%s" $name) $external.existingSecret (index $external.keys $service | default $external.keys.default)) | nindent 4 }}
    {{- end }}
    {{- end }}
    {{- end }}
    {{- with include "sonde.clickhouseEnv" . }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- end }}
    {{- if $ca }}
    - { name: NODE_EXTRA_CA_CERTS, value: /etc/sonde/ca/ca.crt }
    {{- end }}
  {{- with include "sonde.bucketEnv" . }}
  {{- . | nindent 2 }}
  {{- end }}
  resources: {{- toYaml $v.restore.resources | nindent 4 }}
  volumeMounts:
    - { name: data, mountPath: /data }
    - { name: tmp, mountPath: /tmp }
    {{- if include "sonde.backupOnVolume" $v.restore.from }}
    - { name: backups, mountPath: /backups, readOnly: true }
    {{- end }}
    {{- with include "sonde.moreMounts" (dict "settings" dict "ca" $ca) }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end -}}
