{{/* Names of the pull secrets, as JSON. */}}
{{- define "sonde.pullSecrets" -}}
{{- $names := list -}}
{{- range concat (.Values.image.pullSecrets | default list) (.Values.global.imagePullSecrets | default list) -}}
  {{- if kindIs "map" . }}{{ $names = append $names .name }}{{ else }}{{ $names = append $names . }}{{ end -}}
{{- end -}}
{{- $names | uniq | toJson -}}
{{- end -}}

{{/*
(dict "root" $ "references" list of (dict "name" Secret "key" key)): a checksum of generated Secrets that were changed after their
creation, else nothing. `lookup` sees the state before the Job runs, so without comparing the times, the first upgrade would
restart every pod.
*/}}
{{- define "sonde.secretsSum" -}}
{{- $root := .root -}}
{{- $made := include "sonde.missingSecrets" $root | fromYaml -}}
{{- $values := dict -}}
{{- range .references -}}
  {{- if hasKey $made .name -}}
    {{- $secret := lookup "v1" "Secret" $root.Release.Namespace .name | default dict -}}
    {{- $metadata := $secret.metadata | default dict -}}
    {{- $from := $metadata.creationTimestamp | default "" -}}
    {{- $isChanged := false -}}
    {{- range $metadata.managedFields -}}
      {{- $seconds := sub (toDate "2006-01-02T15:04:05Z07:00" (.time | default $from) | unixEpoch | int64) (toDate "2006-01-02T15:04:05Z07:00" $from | unixEpoch | int64) -}}
      {{- if gt $seconds 5 }}{{ $isChanged = true }}{{ end -}}
    {{- end -}}
    {{- if $isChanged }}{{ $_ := set $values (printf "%s/%s" .name .key) (index ($secret.data | default dict) .key) }}{{ end -}}
  {{- end -}}
{{- end -}}
{{- if $values }}{{ $values | toJson | sha256sum }}{{ end -}}
{{- end -}}

{{/* (dict "root" $ "env" text): the same for the variables of a container. */}}
{{- define "sonde.secretsSumOfEnv" -}}
{{- $references := list -}}
{{- range .env | fromYamlArray -}}
  {{- with (.valueFrom | default dict).secretKeyRef }}{{ $references = append $references . }}{{ end -}}
{{- end -}}
{{- include "sonde.secretsSum" (dict "root" .root "references" $references) -}}
{{- end -}}
