{{/*
Faults that values.schema.json cannot refuse with a clear sentence: a line for each, which names the value. All are printed
at once (validation/refuse.yaml). The form of single texts is in files/forms.yaml.
*/}}
{{- define "sonde.faults" -}}
{{- $gone := include "sonde.faults.gone" (dict "at" "" "is" .Values "was" (.Files.Get "files/defaults.json" | fromJson)) -}}
{{- if $gone }}{{ $gone }}{{ else }}{{ include "sonde.faults.present" . }}{{ end -}}
{{- end -}}

{{/* (dict "at" path "is" value "was" value): a line for each required value that null removed. */}}
{{- define "sonde.faults.gone" -}}
{{- range $key, $was := omit .was "runnerPools" "labels" "keys" -}}
  {{- $at := list $.at $key | compact | join "." -}}
  {{- $is := index $.is $key -}}
  {{- if and $was (kindIs "invalid" $is) -}}
    {{- printf "%s: null takes away what the chart needs; leave it out, or give another value\n" $at -}}
  {{- else if and (kindIs "map" $was) (kindIs "map" $is) (not (has $key (list "services" "resources"))) -}}
    {{- include "sonde.faults.gone" (dict "at" $at "is" $is "was" $was) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Faults of values once all required ones are present. */}}
{{- define "sonde.faults.present" -}}
{{- $v := .Values -}}
{{- $distributed := eq $v.mode "distributed" -}}
{{- include "sonde.faults.forms" (dict "at" "" "name" "" "value" $v "forms" (.Files.Get "files/forms.yaml" | fromYamlArray)) -}}
{{- include "sonde.faults.mode" . -}}
{{- range $place, $settings := include "sonde.faults.places" . | fromJson -}}
  {{- include "sonde.faults.settings" (dict "place" $place "settings" $settings "defaults" $v.defaults) -}}
{{- end -}}

{{- if not (or $v.global.imageRegistry $v.image.registry $v.image.preloaded) -}}
  {{- println "image.registry: name the host of your registry, such as registry.example.com. `npm run images -- --registry registry.example.com --push` builds Sonde's images and pushes them as registry.example.com/sonde/gateway:<version> and so on. Where every node has them already, set image.preloaded to true" -}}
{{- end -}}
{{- $services := keys (include "sonde.services" . | fromYaml) | sortAlpha -}}
{{- range $name := keys $v.services | sortAlpha -}}
  {{- if not (has $name $services) -}}
    {{- printf "services.%s: there is no such service; there are %s\n" $name (join ", " $services) -}}
  {{- end -}}
{{- end -}}
{{- $images := concat $services (list "metrics-embedded" "setup" "agents" "all-in-one" "discovery" "backup") -}}
{{- range $name := keys ($v.image.digests | default dict) | sortAlpha -}}
  {{- if not (has $name $images) -}}
    {{- printf "image.digests: there is no image %s; there are %s\n" $name ($images | sortAlpha | join ", ") -}}
  {{- end -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" (include "sonde.fullname" .)) -}}
  {{- printf "fullnameOverride: give one that begins with a letter, since names of Services must and the release is %q\n" .Release.Name -}}
{{- end -}}
{{- with $v.agentDownloads -}}
  {{- if and (not .bundled) (or (not .url) (not .key)) -}}
    {{- println "agentDownloads: give url and key, the address of the agents and the key that signs them, or set bundled to true" -}}
  {{- end -}}
{{- end -}}
{{- if eq $v.secrets.app.keys.secretKey $v.secrets.app.keys.setupCode -}}
  {{- println "secrets.app.keys: secretKey and setupCode are two keys of the Secret, not one" -}}
{{- end -}}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) -}}
  {{- println "httpRoute.parentRefs: name the Gateway, such as [{name: public, namespace: gateways}], since httpRoute.enabled is true" -}}
{{- end -}}
{{- range $key := list "ingressFrom" "metricsFrom" -}}
  {{- range index $v.networkPolicy $key -}}
    {{- if and .ipBlock (or .podSelector .namespaceSelector) -}}
      {{- printf "networkPolicy.%s: a peer with ipBlock has no selector of pods; make two of it\n" $key -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and $v.publicUrl (or (and $v.ingress.enabled (not $v.ingress.hosts)) (and $v.httpRoute.enabled (not $v.httpRoute.hostnames))) -}}
  {{- $host := (urlParse $v.publicUrl).host -}}
  {{- if not (regexMatch "^([a-z0-9]([-a-z0-9]*[a-z0-9])?\\.)*[a-z]([-a-z0-9]*[a-z0-9])?(:[0-9]+)?$" $host) -}}
    {{- printf "publicUrl: an Ingress or HTTPRoute takes the name of a host in small letters, and not %q\n" $host -}}
  {{- end -}}
{{- end -}}

{{- if and $v.discovery.enabled (not $v.discovery.existingSecret) -}}
  {{- println "discovery.existingSecret: name the Secret with the API key, since discovery.enabled is true" -}}
{{- end -}}
{{- with $v.backup.destination -}}
  {{- if not (regexMatch "^s3://[a-z0-9.-]{3,63}/(.*/)?$" .) -}}
    {{- printf "backup.destination: %q is no prefix of a bucket, such as s3://backups/sonde/; leave it empty for the volume\n" . -}}
  {{- end -}}
{{- end -}}
{{- with $v.restore.from -}}
  {{- if not (regexMatch "^(s3://[a-z0-9.-]{3,63}/.*|/backups(/[^/].*)?)$" .) -}}
    {{- printf "restore.from: %q is neither in a bucket, such as s3://backups/sonde/, nor on the volume of backups, such as /backups/sonde.tar\n" . -}}
  {{- end -}}
{{- end -}}
{{- with $v.oidc -}}
  {{- if and .issuer (not .clientId) -}}
    {{- println "oidc.clientId: name the client, since oidc.issuer is given" -}}
  {{- else if and (not .issuer) (or .clientId .existingSecret .roles) -}}
    {{- println "oidc.issuer: name the provider's address, since other values of oidc are given" -}}
  {{- end -}}
{{- end -}}
{{- range $name := include "sonde.pullSecrets" $ | fromJsonArray -}}
  {{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" $name) -}}
    {{- printf "image.pullSecrets, global.imagePullSecrets: %q is no name that Kubernetes takes; it has small letters, digits, - and .\n" $name -}}
  {{- end -}}
{{- end -}}
{{- if and $v.openshift $v.podSecurityContext.runAsUser -}}
  {{- println "openshift: pods name no user there; leave out podSecurityContext.runAsUser, or set openshift to false" -}}
{{- end -}}
{{- if and $v.service.nodePort (eq $v.service.type "ClusterIP") -}}
  {{- println "service.nodePort: a Service of type ClusterIP has none; set service.type to NodePort or LoadBalancer" -}}
{{- end -}}
{{- if and $v.config.files $v.config.existingConfigMap -}}
  {{- println "config: give files or existingConfigMap, not both" -}}
{{- end -}}
{{- if and $v.config.envFrom (not (or $v.config.files $v.config.existingConfigMap)) -}}
  {{- println "config.envFrom: it is for config.files or config.existingConfigMap, and neither is given" -}}
{{- end -}}
{{- if and $v.caFile.configMap $v.caFile.secret -}}
  {{- println "caFile: give configMap or secret, not both" -}}
{{- end -}}
{{- range $key := list "loadBalancerClass" "loadBalancerSourceRanges" "externalTrafficPolicy" -}}
  {{- $isOf := eq $key "externalTrafficPolicy" | ternary (list "LoadBalancer" "NodePort") (list "LoadBalancer") -}}
  {{- if and (index $v.service $key) (not (has $v.service.type $isOf)) -}}
    {{- printf "service.%s: a Service of type %s has none; set service.type to LoadBalancer\n" $key $v.service.type -}}
  {{- end -}}
{{- end -}}
{{- if and (gt (len ($v.ipFamilies | default list)) 1) (not (hasSuffix "DualStack" $v.ipFamilyPolicy)) -}}
  {{- println "ipFamilies: two families need ipFamilyPolicy PreferDualStack or RequireDualStack" -}}
{{- end -}}

{{- range $label, $_ := $v.commonLabels -}}
  {{- include "sonde.faults.ownLabel" (dict "place" "commonLabels" "label" $label) -}}
{{- end -}}
{{- if not $v.runnerPools -}}
  {{- println "runnerPools: none is left, so that nothing would be checked; keep one, such as default: {location: default}" -}}
{{- end -}}
{{- range $pool, $settings := $v.runnerPools -}}
  {{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,18}[a-z0-9])?$" $pool) -}}
    {{- printf "runnerPools.%s: a pool's name has 1 to 20 small letters, digits and -\n" $pool -}}
  {{- end -}}
{{- end -}}

{{- if $distributed -}}
  {{- range $server := list "postgres" "nats" "clickhouse" -}}
    {{- $values := index $v $server -}}
    {{- if and (eq $values.mode "external") (not $values.external.existingSecret) -}}
      {{- printf "%s.external.existingSecret: name the Secret with the address, since %s.mode is external\n" $server $server -}}
    {{- end -}}
  {{- end -}}
  {{- if eq $v.clickhouse.mode "embedded" -}}
    {{- $metrics := $v.services.metrics | default dict -}}
    {{- if gt (int ($metrics.replicas | default 1)) 1 -}}
      {{- println "services.metrics.replicas: only 1 is possible while clickhouse.mode is embedded; set it to bundled or external first" -}}
    {{- end -}}
    {{- if ($metrics.autoscaling | default dict).enabled -}}
      {{- println "services.metrics.autoscaling.enabled: metrics has one replica while clickhouse.mode is embedded; set it to bundled or external first" -}}
    {{- end -}}
  {{- end -}}
  {{- if eq $v.clickhouse.mode "bundled" -}}
    {{- $servers := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "sonde.resource" (dict "root" . "name" "clickhouse")) | dig "spec" "replicas" 0 | int -}}
    {{- if and $servers (ne $servers (int $v.clickhouse.bundled.replicas)) -}}
      {{- printf "clickhouse.bundled.replicas: the ClickHouse servers that run are %d, and their history does not become one of %d by itself; keep %d, or follow \"From one ClickHouse to two\" in the chart's README\n" $servers (int $v.clickhouse.bundled.replicas) $servers -}}
    {{- end -}}
  {{- end -}}
  {{- if eq $v.nats.mode "bundled" -}}
    {{- /* `helm template` looks nothing up; the setup Job then refuses what it finds. */ -}}
    {{- $servers := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "sonde.resource" (dict "root" . "name" "nats")) | dig "spec" "replicas" 0 | int -}}
    {{- if and $servers (ne $servers (int $v.nats.bundled.replicas)) -}}
      {{- printf "nats.bundled.replicas: the NATS servers that run are %d, and one that joins or leaves a cluster loses its streams; keep %d, or follow \"From one NATS server to three\" in the chart's README\n" $servers $servers -}}
    {{- end -}}
  {{- end -}}
  {{- with $v.postgres -}}
    {{- if and (eq .mode "external") .external.adminKey (not .external.host) -}}
      {{- println "postgres.external.host: name the host, since adminKey is given: each service's address is made of it" -}}
    {{- end -}}
    {{- if and (eq .mode "external") (not .external.adminKey) (not .external.keys.default) -}}
      {{- range $service, $what := include "sonde.services" $ | fromYaml -}}
        {{- if and $what.database (not (index $v.postgres.external.keys $service)) -}}
          {{- printf "postgres.external.keys: name the key of the address of %s, or a default\n" $service -}}
        {{- end -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
  {{- if and $v.autoscaling.keda.enabled (eq $v.nats.mode "external") (not $v.autoscaling.keda.natsMonitoringEndpoint) -}}
    {{- println "autoscaling.keda.natsMonitoringEndpoint: name host and monitoring port of your NATS (nats.example:8222), since nats.mode is external" -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Values that the chosen mode ignores: those of the other mode that differ from the chart's own (files/defaults.json). */}}
{{- define "sonde.faults.mode" -}}
{{- range $section, $was := pick (.Files.Get "files/defaults.json" | fromJson) "defaults" "services" "runnerPools" "autoscaling" "postgres" "nats" "clickhouse" "allInOne" -}}
  {{- $ofDistributed := ne $section "allInOne" -}}
  {{- if ne $ofDistributed (eq $.Values.mode "distributed") -}}
    {{- $is := index $.Values $section -}}
    {{- /* These three also apply to all-in-one. */}}
    {{- range $path := include "sonde.faults.changed" (dict "at" $section "is" (omit $is "priorityClassName" "dnsConfig" "hostAliases") "was" (omit $was "priorityClassName" "dnsConfig" "hostAliases")) | trim | splitList "\n" | compact -}}
      {{- printf "%s: mode %s has no use for it; leave it out, or set mode to %s\n" $path $.Values.mode (ternary "distributed" "all-in-one" $ofDistributed) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* (dict "at" path "is" value "was" value): a line for each path at which two values differ. */}}
{{- define "sonde.faults.changed" -}}
{{- if and (kindIs "map" .is) (kindIs "map" .was) -}}
  {{- range $key := concat (keys .is) (keys .was) | uniq | sortAlpha -}}
    {{- include "sonde.faults.changed" (dict "at" (printf "%s.%s" $.at $key) "is" (index $.is $key) "was" (index $.was $key)) -}}
  {{- end -}}
{{- else if ne (toJson .is) (toJson .was) -}}
  {{- println .at -}}
{{- end -}}
{{- end -}}

{{/* (dict "at" path "name" key "value" … "forms" rows of files/forms.yaml): faults of a value and of all within it. */}}
{{- define "sonde.faults.forms" -}}
{{- range $row := .forms -}}
  {{- if or (has $.name $row.of) (has $.at $row.of) -}}
    {{- if kindIs "map" $.value -}}
      {{- range $key, $value := $.value -}}
        {{- if and $row.keys (not (regexMatch $row.keys $key)) -}}
          {{- printf "%s: %q %s\n" $.at $key $row.fault -}}
        {{- end -}}
        {{- if and $row.values (kindIs "string" $value) (not (regexMatch $row.values $value)) -}}
          {{- printf "%s.%s: %q %s\n" $.at $key $value $row.fault -}}
        {{- end -}}
      {{- end -}}
    {{- else if $row.form -}}
      {{- range $text := kindIs "slice" $.value | ternary $.value (list $.value) -}}
        {{- if and (kindIs "string" $text) $text (not (regexMatch $row.form $text)) -}}
          {{- printf "%s: %q %s\n" $.at $text $row.fault -}}
        {{- end -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if kindIs "map" .value -}}
  {{- /* Values with a schema of Kubernetes or an operator. */}}
  {{- range $key, $value := omit .value "spec" "extraObjects" "extraPaths" "podSecurityContext" "containerSecurityContext" "lifecycle" "behavior" "extraVolumes" "extraVolumeMounts" "initContainers" "extraContainers" "affinity" "tolerations" "env" "envFrom" "resources" -}}
    {{- include "sonde.faults.forms" (dict "at" (list $.at $key | compact | join ".") "name" $key "value" $value "forms" $.forms) -}}
  {{- end -}}
{{- else if kindIs "slice" .value -}}
  {{- range $index, $value := .value -}}
    {{- if kindIs "map" $value -}}
      {{- include "sonde.faults.forms" (dict "at" (printf "%s[%d]" $.at $index) "name" "" "value" $value "forms" $.forms) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Everything with pod settings, by its path in the values; "resources" of services are merged over their defaults. */}}
{{- define "sonde.faults.places" -}}
{{- $v := .Values -}}
{{- $places := dict "defaults" $v.defaults "allInOne" $v.allInOne "setup" $v.setup "discovery" $v.discovery "backup" $v.backup "restore" $v.restore -}}
{{- range $server := list "postgres" "nats" "clickhouse" }}{{ $_ := set $places (printf "%s.bundled" $server) (index $v $server).bundled }}{{ end -}}
{{- $_ := set $places "clickhouse.bundled.keeper" $v.clickhouse.bundled.keeper -}}
{{- range $name, $settings := $v.services -}}
  {{- $_ := set $places (printf "services.%s" $name) (include "sonde.faults.over" (list $v.defaults $settings) | fromJson) -}}
{{- end -}}
{{- range $name, $settings := $v.runnerPools -}}
  {{- $runner := include "sonde.faults.over" (list $v.defaults (index $v.services "probe-runner")) | fromJson -}}
  {{- $_ := set $places (printf "runnerPools.%s" $name) (include "sonde.faults.over" (list (merge $runner $v.defaults) $settings) | fromJson) -}}
{{- end -}}
{{- $places | toJson -}}
{{- end -}}

{{/* (list base settings): the settings, with their resources and autoscaling merged over the base's. */}}
{{- define "sonde.faults.over" -}}
{{- $base := index . 0 -}}
{{- $settings := index . 1 | default dict | deepCopy -}}
{{- range $key := list "resources" "autoscaling" -}}
  {{- with index $settings $key -}}
    {{- $_ := set $settings $key (mergeOverwrite (dict) (deepCopy (index $base $key)) .) -}}
  {{- end -}}
{{- end -}}
{{- $settings | toJson -}}
{{- end -}}

{{/* (dict "place" "services.auth" "settings" …): faults of settings of pods. */}}
{{- define "sonde.faults.settings" -}}
{{- $place := .place -}}
{{- $settings := .settings | default dict -}}
{{- $isPool := hasPrefix "runnerPools." $place -}}
{{- if and $settings.location (not $isPool) -}}
  {{- printf "%s.location: only a pool has one; give it in runnerPools\n" $place -}}
{{- else if and $isPool (not $settings.location) -}}
  {{- printf "%s.location: name the location that monitors choose\n" $place -}}
{{- end -}}
{{- with $settings.autoscaling -}}
  {{- if gt (int .minReplicas) (int .maxReplicas) -}}
    {{- printf "%s.autoscaling: minReplicas (%d) is more than maxReplicas (%d)\n" $place (int .minReplicas) (int .maxReplicas) -}}
  {{- end -}}
{{- end -}}
{{- $budget := ($settings.podDisruptionBudget | default dict).maxUnavailable -}}
{{- if not (kindIs "invalid" $budget) -}}
  {{- if regexMatch "^0+%?$" (toString $budget) -}}
    {{- printf "%s.podDisruptionBudget.maxUnavailable: 0 would hold up each drain of a node; set podDisruptionBudget.enabled to false where none is wanted\n" $place -}}
  {{- else if hasPrefix "-" (toString $budget) -}}
    {{- printf "%s.podDisruptionBudget.maxUnavailable: %v is below 0\n" $place $budget -}}
  {{- else if and (kindIs "string" $budget) (not (regexMatch "^(100|[1-9]?[0-9])%$" $budget)) -}}
    {{- printf "%s.podDisruptionBudget.maxUnavailable: %q is neither a number without quotes nor a percentage such as 50%%\n" $place $budget -}}
  {{- end -}}
{{- end -}}
{{- range $label, $_ := $settings.podLabels -}}
  {{- include "sonde.faults.ownLabel" (dict "place" (printf "%s.podLabels" $place) "label" $label) -}}
{{- end -}}
{{- include "sonde.faults.more" . -}}
{{- include "sonde.faults.tolerations" . -}}
{{- include "sonde.faults.env" . -}}
{{- include "sonde.faults.resources" . -}}
{{- end -}}

{{/* Faults of extra containers, volumes and mounts: names used twice or by the chart, and missing volumes. */}}
{{- define "sonde.faults.more" -}}
{{- $own := dict "containers" (list (hasPrefix "runnerPools." .place | ternary "probe-runner" (trimPrefix "services." .place)) "sonde" "agents") "volumes" (list "tmp" "data" "agents" "ca") "mounts" (list "/tmp" "/data" "/agents" "/etc/sonde/ca") -}}
{{- $fields := dict "initContainers" (list "containers" "name") "extraContainers" (list "containers" "name") "extraVolumes" (list "volumes" "name") "extraVolumeMounts" (list "mounts" "mountPath") -}}
{{- range $field, $of := $fields -}}
  {{- range $item := index $.settings $field -}}
    {{- $name := index $item (last $of) | default "" -}}
    {{- $names := index $own (first $of) -}}
    {{- if not $name -}}
      {{- printf "%s.%s: each needs a %s\n" $.place $field (last $of) -}}
    {{- else if has $name $names -}}
      {{- printf "%s.%s: %s is given twice, or is one that the chart itself makes\n" $.place $field $name -}}
    {{- else if and (eq (last $of) "name") (not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" $name)) -}}
      {{- printf "%s.%s: %q is no name that Kubernetes takes; it has small letters, digits and -\n" $.place $field $name -}}
    {{- else if and (hasSuffix "ontainers" $field) (not $item.image) -}}
      {{- printf "%s.%s: %s needs an image\n" $.place $field $name -}}
    {{- end -}}
    {{- $_ := set $own (first $of) (append $names $name) -}}
  {{- end -}}
{{- end -}}
{{- range $mount := .settings.extraVolumeMounts -}}
  {{- if not (has $mount.name (index $own "volumes")) -}}
    {{- printf "%s.extraVolumeMounts: extraVolumes has no %q\n" $.place ($mount.name | default "") -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* (dict "place" … "label" …): whether the chart itself sets that label. */}}
{{- define "sonde.faults.ownLabel" -}}
{{- if regexMatch "^(app\\.kubernetes\\.io/(name|instance|component|part-of|version|managed-by)|helm\\.sh/chart|pool)$" .label -}}
  {{- printf "%s: the chart itself sets %s\n" .place .label -}}
{{- end -}}
{{- end -}}

{{/* Faults of tolerations. https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */}}
{{- define "sonde.faults.tolerations" -}}
{{- range .settings.tolerations -}}
  {{- $exists := eq (.operator | default "Equal") "Exists" -}}
  {{- if and $exists .value -}}
    {{- printf "%s.tolerations: operator Exists takes no value, and %q is given\n" $.place .value -}}
  {{- else if not (or $exists .key) -}}
    {{- printf "%s.tolerations: without a key the operator must be Exists\n" $.place -}}
  {{- else if and .key (not (regexMatch "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$" .key)) -}}
    {{- printf "%s.tolerations: %q is no key of a taint\n" $.place .key -}}
  {{- end -}}
  {{- if and .tolerationSeconds (ne (.effect | default "") "NoExecute") -}}
    {{- printf "%s.tolerations: tolerationSeconds needs effect NoExecute\n" $.place -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* Faults of `env`, whose values must be strings, and of `envFrom`. */}}
{{- define "sonde.faults.env" -}}
{{- range $source := .settings.envFrom -}}
  {{- $name := (or $source.secretRef $source.configMapRef).name -}}
  {{- if not (regexMatch "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$" $name) -}}
    {{- printf "%s.envFrom: %q is no name that Kubernetes takes; it has small letters, digits, - and .\n" $.place $name -}}
  {{- end -}}
{{- end -}}
{{- $names := list -}}
{{- range $variable := .settings.env -}}
  {{- $name := $variable.name | default "" | toString -}}
  {{- if not (regexMatch "^[A-Za-z_][A-Za-z0-9_.-]*$" $name) -}}
    {{- printf "%s.env: %q is no name of a variable; it has letters, digits and _\n" $.place $name -}}
  {{- else if has $name $names -}}
    {{- printf "%s.env: %s is given twice\n" $.place $name -}}
  {{- end -}}
  {{- $names = append $names $name -}}
  {{- if not (or (kindIs "string" $variable.value) (kindIs "invalid" $variable.value)) -}}
    {{- printf "%s.env: the value of %s is no text; write it in quotes, %q\n" $.place $name (toJson $variable.value) -}}
  {{- end -}}
  {{- if and $variable.value $variable.valueFrom -}}
    {{- printf "%s.env: %s has both value and valueFrom; keep one\n" $.place $name -}}
  {{- end -}}
{{- end -}}
{{- end -}}
