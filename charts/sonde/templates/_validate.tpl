{{/*
Checks that values.schema.json cannot express, or not with a clear message. Prints one line per invalid value;
validation/refuse.yaml fails with all of them.
*/}}
{{- define "sonde.faults" -}}
{{- $v := .Values -}}
{{- include "sonde.faults.mode" . -}}
{{- if not (or $v.global.imageRegistry $v.image.registry $v.image.preloaded) -}}
  {{- println "image.registry: set the host of your registry, for example registry.example.com. `npm run images -- --registry registry.example.com --push` builds Sonde's images and pushes them as registry.example.com/sonde/gateway:<version> and so on. If every node already has the images, set image.preloaded to true" -}}
{{- end -}}
{{- $services := keys (include "sonde.services" . | fromYaml) | sortAlpha -}}
{{- range $name := keys $v.services | sortAlpha -}}
  {{- if not (has $name $services) -}}
    {{- printf "services.%s: unknown service; the services are %s\n" $name (join ", " $services) -}}
  {{- end -}}
{{- end -}}
{{- $images := concat $services (list "metrics-embedded" "setup" "agents" "all-in-one" "discovery" "backup") -}}
{{- range $name := keys ($v.image.digests | default dict) | sortAlpha -}}
  {{- if not (has $name $images) -}}
    {{- printf "image.digests: unknown image %s; the images are %s\n" $name ($images | sortAlpha | join ", ") -}}
  {{- end -}}
{{- end -}}
{{- if not (regexMatch "^[a-z]" (include "sonde.fullname" .)) -}}
  {{- printf "fullnameOverride: set a name that begins with a letter, because Service names must and the release is called %q\n" .Release.Name -}}
{{- end -}}
{{- with $v.agentDownloads -}}
  {{- if and (not .bundled) (or (not .url) (not .key)) -}}
    {{- println "agentDownloads: set url (the address of the agents) and key (the public key that verifies them), or set bundled to true" -}}
  {{- end -}}
{{- end -}}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) -}}
  {{- println "httpRoute.parentRefs: httpRoute.enabled requires a Gateway, for example [{name: public, namespace: gateways}]" -}}
{{- end -}}
{{- if and $v.publicUrl (or (and $v.ingress.enabled (not $v.ingress.hosts)) (and $v.httpRoute.enabled (not $v.httpRoute.hostnames))) -}}
  {{- $host := (urlParse $v.publicUrl).host -}}
  {{- if not (regexMatch "^([a-z0-9]([-a-z0-9]*[a-z0-9])?\\.)*[a-z]([-a-z0-9]*[a-z0-9])?(:[0-9]+)?$" $host) -}}
    {{- printf "publicUrl: an Ingress or HTTPRoute requires a lowercase host name, not %q\n" $host -}}
  {{- end -}}
{{- end -}}
{{- if and $v.discovery.enabled (not $v.discovery.existingSecret) -}}
  {{- println "discovery.existingSecret: discovery.enabled requires the Secret with the API key" -}}
{{- end -}}
{{- with $v.oidc -}}
  {{- if and .issuer (not .clientId) -}}
    {{- println "oidc.clientId: required because oidc.issuer is set" -}}
  {{- else if and (not .issuer) (or .clientId .existingSecret .roles) -}}
    {{- println "oidc.issuer: required because other values of oidc are set" -}}
  {{- end -}}
{{- end -}}
{{- if and $v.openshift $v.podSecurityContext.runAsUser -}}
  {{- println "openshift: remove podSecurityContext.runAsUser, because OpenShift assigns the user, or set openshift to false" -}}
{{- end -}}
{{- if and $v.config.files $v.config.existingConfigMap -}}
  {{- println "config: set files or existingConfigMap, not both" -}}
{{- end -}}
{{- if and $v.caFile.configMap $v.caFile.secret -}}
  {{- println "caFile: set configMap or secret, not both" -}}
{{- end -}}
{{- if eq $v.mode "distributed" }}{{ include "sonde.faults.servers" . }}{{ end -}}
{{- end -}}

{{/* Checks of PostgreSQL, NATS and ClickHouse. */}}
{{- define "sonde.faults.servers" -}}
{{- $v := .Values -}}
{{- range $server := list "postgres" "nats" "clickhouse" -}}
  {{- $values := index $v $server -}}
  {{- if and (eq $values.mode "external") (not $values.external.existingSecret) -}}
    {{- printf "%s.external.existingSecret: set the Secret with the address, because %s.mode is external\n" $server $server -}}
  {{- end -}}
{{- end -}}
{{- if eq $v.clickhouse.mode "embedded" -}}
  {{- $metrics := $v.services.metrics | default dict -}}
  {{- if or (gt (int ($metrics.replicas | default 1)) 1) ($metrics.autoscaling | default dict).enabled -}}
    {{- println "services.metrics: only 1 replica is possible while clickhouse.mode is embedded; change clickhouse.mode to bundled or external first" -}}
  {{- end -}}
{{- end -}}
{{- if eq $v.clickhouse.mode "bundled" -}}
  {{- $servers := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "sonde.resource" (dict "root" . "name" "clickhouse")) | dig "spec" "replicas" 0 | int -}}
  {{- if and $servers (ne $servers (int $v.clickhouse.bundled.replicas)) -}}
    {{- printf "clickhouse.bundled.replicas: the number of running servers is %d, and an upgrade cannot convert their history to %d replicas; keep %d, or follow \"From one ClickHouse to two\" in the chart's README\n" $servers (int $v.clickhouse.bundled.replicas) $servers -}}
  {{- end -}}
{{- end -}}
{{- if eq $v.nats.mode "bundled" -}}
  {{- /* `helm template` cannot look it up; the setup Job then checks it. */ -}}
  {{- $servers := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "sonde.resource" (dict "root" . "name" "nats")) | dig "spec" "replicas" 0 | int -}}
  {{- if and $servers (ne $servers (int $v.nats.bundled.replicas)) -}}
    {{- printf "nats.bundled.replicas: the number of running servers is %d, and a server that joins or leaves a cluster loses its streams; keep %d, or follow \"From one NATS server to three\" in the chart's README\n" $servers $servers -}}
  {{- end -}}
{{- end -}}
{{- with $v.postgres -}}
  {{- if and (eq .mode "external") .external.adminKey (not .external.host) -}}
    {{- println "postgres.external.host: required because adminKey is set: the chart builds each service's address from it" -}}
  {{- end -}}
  {{- if and (eq .mode "external") (not .external.adminKey) (not .external.keys.default) -}}
    {{- range $service, $what := include "sonde.services" $ | fromYaml -}}
      {{- if and $what.database (not (index $v.postgres.external.keys $service)) -}}
        {{- printf "postgres.external.keys: set the key with the address of %s, or a default\n" $service -}}
      {{- end -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and $v.autoscaling.keda.enabled (eq $v.nats.mode "external") (not $v.autoscaling.keda.natsMonitoringEndpoint) -}}
  {{- println "autoscaling.keda.natsMonitoringEndpoint: set the host and monitoring port of your NATS (nats.example:8222), because nats.mode is external" -}}
{{- end -}}
{{- end -}}

{{/* Rejects values that only apply to the other mode and differ from the defaults in files/defaults.json. */}}
{{- define "sonde.faults.mode" -}}
{{- range $section, $was := pick (.Files.Get "files/defaults.json" | fromJson) "defaults" "services" "runnerPools" "autoscaling" "postgres" "nats" "clickhouse" "allInOne" -}}
  {{- $ofDistributed := ne $section "allInOne" -}}
  {{- if ne $ofDistributed (eq $.Values.mode "distributed") -}}
    {{- $is := index $.Values $section -}}
    {{- /* These three also apply to all-in-one. */}}
    {{- range $path := include "sonde.faults.changed" (dict "at" $section "is" (omit $is "priorityClassName" "dnsConfig" "hostAliases") "was" (omit $was "priorityClassName" "dnsConfig" "hostAliases")) | trim | splitList "\n" | compact -}}
      {{- printf "%s: mode %s ignores this value; remove it, or set mode to %s\n" $path $.Values.mode (ternary "distributed" "all-in-one" $ofDistributed) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* (dict "at" path "is" value "was" value): prints each path at which the two values differ, one per line. */}}
{{- define "sonde.faults.changed" -}}
{{- if and (kindIs "map" .is) (kindIs "map" .was) -}}
  {{- range $key := concat (keys .is) (keys .was) | uniq | sortAlpha -}}
    {{- include "sonde.faults.changed" (dict "at" (printf "%s.%s" $.at $key) "is" (index $.is $key) "was" (index $.was $key)) -}}
  {{- end -}}
{{- else if ne (toJson .is) (toJson .was) -}}
  {{- println .at -}}
{{- end -}}
{{- end -}}

