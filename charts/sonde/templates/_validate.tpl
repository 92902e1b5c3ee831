{{/*
What values.schema.json cannot say, or only by a pattern: each fault is a sentence that names the value. It is a template
of its own (validate.yaml), so that all faults are told at once.
*/}}
{{- define "sonde.faults" -}}
{{- $v := .Values -}}
{{- $distributed := eq $v.mode "distributed" -}}
{{- $faults := list -}}
{{- $dnsName := "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$" -}}
{{- $quantity := "^[0-9]+(\\.[0-9]+)?([EPTGMk]i?)?$" -}}
{{- $duration := "^[0-9]+(ms|s|m|h)$" -}}
{{- $ownLabel := "^(app\\.kubernetes\\.io/(name|instance|component|part-of|version|managed-by)|helm\\.sh/chart|pool)$" -}}

{{- range $server := list "postgres" "nats" "clickhouse" -}}
  {{- $values := index $v $server -}}
  {{- if not $distributed -}}
    {{- if has $values.mode (list "external" "cnpg") -}}
      {{- $faults = append $faults (printf "%s.mode: mode all-in-one has its own %s inside; leave it out, or set mode to distributed" $server $server) -}}
    {{- end -}}
  {{- else if and (eq $values.mode "external") (not $values.external.existingSecret) -}}
    {{- $faults = append $faults (printf "%s.external.existingSecret: name the Secret with the address, since %s.mode is external" $server $server) -}}
  {{- end -}}
{{- end -}}

{{- $registry := $v.image.registry -}}
{{- if not (or $registry $v.image.preloaded) -}}
  {{- $faults = append $faults "image.registry: name the host of your registry, such as registry.example.com. `npm run images -- --registry registry.example.com --push` builds Sonde's images and pushes them as registry.example.com/sonde/gateway:<version> and so on. Where every node has them already, set image.preloaded to true" -}}
{{- else if and $registry (not (regexMatch "^(localhost|[a-z0-9-]+(\\.[a-z0-9-]+)+|[a-z0-9.-]+:[0-9]+|\\[[0-9a-f:]+\\](:[0-9]+)?)(:[0-9]+)?(/[a-z0-9._-]+)*$" $registry)) -}}
  {{- $faults = append $faults (printf "image.registry: %q is no host of a registry, such as registry.example.com or localhost:5000; a word alone would be an account of Docker Hub" $registry) -}}
{{- end -}}

{{- if and $distributed (eq $v.clickhouse.mode "embedded") -}}
  {{- $metrics := $v.services.metrics | default dict -}}
  {{- if gt (int ($metrics.replicas | default 1)) 1 -}}
    {{- $faults = append $faults "services.metrics.replicas: only 1 is possible while clickhouse.mode is embedded; set it to bundled or external first" -}}
  {{- end -}}
  {{- if ($metrics.autoscaling | default dict).enabled -}}
    {{- $faults = append $faults "services.metrics.autoscaling.enabled: metrics has one replica while clickhouse.mode is embedded; set it to bundled or external first" -}}
  {{- end -}}
{{- end -}}

{{- if and $v.publicUrl (not (regexMatch "^https?://[^/?#[:space:]]+/?$" $v.publicUrl)) -}}
  {{- $faults = append $faults (printf "publicUrl: %q is no address without a path, such as https://sonde.example.com" $v.publicUrl) -}}
{{- end -}}
{{- if and $v.otlpEndpoint (not (regexMatch "^https?://[^[:space:]]+$" $v.otlpEndpoint)) -}}
  {{- $faults = append $faults (printf "otlpEndpoint: %q is no address such as http://collector:4318" $v.otlpEndpoint) -}}
{{- end -}}
{{- range $key := list "trustedProxies" "deniedRanges" -}}
  {{- range $range := index $v $key -}}
    {{- if not (regexMatch "^([0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*)(/[0-9]{1,3})?$" (toString $range)) -}}
      {{- $faults = append $faults (printf "%s: %q is neither an address nor a range such as 10.0.0.0/8" $key (toString $range)) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- with $v.agentDownloads -}}
  {{- if and (not .bundled) (or (not .url) (not .key)) -}}
    {{- $faults = append $faults "agentDownloads: give url and key, the address of the agents and the key that signs them, or set bundled to true" -}}
  {{- end -}}
  {{- if and .url (not (regexMatch "^https?://[^[:space:]]+$" .url)) -}}
    {{- $faults = append $faults (printf "agentDownloads.url: %q is no address such as https://downloads.example.com/agents" .url) -}}
  {{- end -}}
{{- end -}}

{{- range $label, $_ := $v.commonLabels -}}
  {{- if regexMatch $ownLabel $label -}}
    {{- $faults = append $faults (printf "commonLabels: the chart itself sets %s" $label) -}}
  {{- end -}}
{{- end -}}
{{- range $pool, $settings := $v.runnerPools -}}
  {{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,18}[a-z0-9])?$" $pool) -}}
    {{- $faults = append $faults (printf "runnerPools.%s: a pool's name has 1 to 20 small letters, digits and -" $pool) -}}
  {{- end -}}
  {{- if not (regexMatch "^[A-Za-z0-9_-]{1,63}$" ($settings.location | default "")) -}}
    {{- $faults = append $faults (printf "runnerPools.%s.location: %q is no location; it has 1 to 63 letters, digits, - and _" $pool ($settings.location | default "")) -}}
  {{- end -}}
{{- end -}}
{{- range $place, $settings := merge (dict "defaults" $v.defaults) (include "sonde.faults.places" . | fromJson) -}}
  {{- with ($settings | default dict).autoscaling -}}
    {{- $all := merge (deepCopy .) $v.defaults.autoscaling -}}
    {{- if gt (int $all.minReplicas) (int $all.maxReplicas) -}}
      {{- $faults = append $faults (printf "%s.autoscaling: minReplicas (%d) is more than maxReplicas (%d)" $place (int $all.minReplicas) (int $all.maxReplicas)) -}}
    {{- end -}}
  {{- end -}}
  {{- with (($settings | default dict).podDisruptionBudget | default dict).maxUnavailable -}}
    {{- if not (regexMatch "^[0-9]+%?$" (toString .)) -}}
      {{- $faults = append $faults (printf "%s.podDisruptionBudget.maxUnavailable: %q is neither a number nor a percentage such as 50%%" $place (toString .)) -}}
    {{- end -}}
  {{- end -}}
  {{- if regexMatch "^0+%?$" (toString (($settings | default dict).podDisruptionBudget | default dict).maxUnavailable) -}}
    {{- $faults = append $faults (printf "%s.podDisruptionBudget.maxUnavailable: 0 would hold up each drain of a node; set podDisruptionBudget.enabled to false where none is wanted" $place) -}}
  {{- end -}}
  {{- range $label, $_ := ($settings | default dict).podLabels -}}
    {{- if regexMatch $ownLabel $label -}}
      {{- $faults = append $faults (printf "%s.podLabels: the chart itself sets %s" $place $label) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and $v.autoscaling.keda.enabled (eq $v.nats.mode "external") (not $v.autoscaling.keda.natsMonitoringEndpoint) -}}
  {{- $faults = append $faults "autoscaling.keda.natsMonitoringEndpoint: name host and monitoring port of your NATS (nats.example:8222), since nats.mode is external" -}}
{{- end -}}

{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) -}}
  {{- $faults = append $faults "httpRoute.parentRefs: name the Gateway, such as [{name: public, namespace: gateways}], since httpRoute.enabled is true" -}}
{{- end -}}
{{- if not (regexMatch (printf "^always$|%s" $duration) $v.nats.bundled.syncInterval) -}}
  {{- $faults = append $faults (printf "nats.bundled.syncInterval: %q is neither always nor a time such as 2m" $v.nats.bundled.syncInterval) -}}
{{- end -}}
{{- if not (regexMatch $duration $v.monitoring.serviceMonitor.interval) -}}
  {{- $faults = append $faults (printf "monitoring.serviceMonitor.interval: %q is no time such as 30s" $v.monitoring.serviceMonitor.interval) -}}
{{- end -}}
{{- $sizes := dict "allInOne" $v.allInOne.storage "postgres.bundled" $v.postgres.bundled.storage "postgres.cnpg" $v.postgres.cnpg.storage "nats.bundled" $v.nats.bundled.storage
      "clickhouse.embedded" $v.clickhouse.embedded.storage "clickhouse.bundled" $v.clickhouse.bundled.storage -}}
{{- range $place, $storage := $sizes -}}
  {{- if not (regexMatch $quantity $storage.size) -}}
    {{- $faults = append $faults (printf "%s.storage.size: %q is no size such as 10Gi" $place $storage.size) -}}
  {{- end -}}
{{- end -}}
{{- $secrets := dict "secrets.app" $v.secrets.app "selfWatch" $v.selfWatch "tests" $v.tests "postgres" $v.postgres "postgres.external" $v.postgres.external
      "nats.bundled" $v.nats.bundled "nats.external" $v.nats.external "clickhouse.bundled" $v.clickhouse.bundled "clickhouse.external" $v.clickhouse.external -}}
{{- range $place, $values := $secrets -}}
  {{- if and $values.existingSecret (not (regexMatch $dnsName $values.existingSecret)) -}}
    {{- $faults = append $faults (printf "%s.existingSecret: %q is no name of a Secret; it has small letters, digits, - and ." $place $values.existingSecret) -}}
  {{- end -}}
{{- end -}}
{{- dict "items" $faults | toJson -}}
{{- end -}}

{{/* What may have settings of Deployments, by the name of its values. */}}
{{- define "sonde.faults.places" -}}
{{- $places := dict "allInOne" .Values.allInOne -}}
{{- range $name, $settings := .Values.services }}{{ $_ := set $places (printf "services.%s" $name) ($settings | default dict) }}{{ end -}}
{{- range $name, $settings := .Values.runnerPools }}{{ $_ := set $places (printf "runnerPools.%s" $name) ($settings | default dict) }}{{ end -}}
{{- $places | toJson -}}
{{- end -}}
