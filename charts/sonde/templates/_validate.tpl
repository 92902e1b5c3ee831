{{/*
Values that cannot work, for what values.schema.json cannot express or not with a clear sentence: a line for each, which
names the value. validation/refuse.yaml prints all of them at once.
*/}}
{{- define "sonde.faults" -}}
{{- $v := .Values -}}
{{- include "sonde.faults.mode" . -}}
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
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) -}}
  {{- println "httpRoute.parentRefs: name the Gateway, such as [{name: public, namespace: gateways}], since httpRoute.enabled is true" -}}
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
{{- with $v.oidc -}}
  {{- if and .issuer (not .clientId) -}}
    {{- println "oidc.clientId: name the client, since oidc.issuer is given" -}}
  {{- else if and (not .issuer) (or .clientId .existingSecret .roles) -}}
    {{- println "oidc.issuer: name the provider's address, since other values of oidc are given" -}}
  {{- end -}}
{{- end -}}
{{- if and $v.openshift $v.podSecurityContext.runAsUser -}}
  {{- println "openshift: pods name no user there; leave out podSecurityContext.runAsUser, or set openshift to false" -}}
{{- end -}}
{{- if and $v.config.files $v.config.existingConfigMap -}}
  {{- println "config: give files or existingConfigMap, not both" -}}
{{- end -}}
{{- if and $v.caFile.configMap $v.caFile.secret -}}
  {{- println "caFile: give configMap or secret, not both" -}}
{{- end -}}
{{- if eq $v.mode "distributed" }}{{ include "sonde.faults.servers" . }}{{ end -}}
{{- end -}}

{{/* Faults of the servers that services use. */}}
{{- define "sonde.faults.servers" -}}
{{- $v := .Values -}}
{{- range $server := list "postgres" "nats" "clickhouse" -}}
  {{- $values := index $v $server -}}
  {{- if and (eq $values.mode "external") (not $values.external.existingSecret) -}}
    {{- printf "%s.external.existingSecret: name the Secret with the address, since %s.mode is external\n" $server $server -}}
  {{- end -}}
{{- end -}}
{{- if eq $v.clickhouse.mode "embedded" -}}
  {{- $metrics := $v.services.metrics | default dict -}}
  {{- if or (gt (int ($metrics.replicas | default 1)) 1) ($metrics.autoscaling | default dict).enabled -}}
    {{- println "services.metrics: only 1 replica is possible while clickhouse.mode is embedded; set it to bundled or external first" -}}
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

