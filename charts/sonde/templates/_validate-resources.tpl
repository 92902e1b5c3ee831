{{/* Faults of `resources`. */}}
{{- define "sonde.faults.resources" -}}
{{- $place := .place -}}
{{- $resources := .settings.resources | default dict -}}
{{- range $kind := list "requests" "limits" -}}
  {{- range $name, $quantity := index $resources $kind -}}
    {{- $at := printf "%s.resources.%s.%s" $place $kind $name -}}
    {{- $text := toString $quantity -}}
    {{- $bytes := include "sonde.faults.amount" $quantity | float64 -}}
    {{- if kindIs "invalid" $quantity -}}
    {{- else if not (or (has $name (list "cpu" "memory" "ephemeral-storage")) (regexMatch "^hugepages-|/" $name)) -}}
      {{- printf "%s: Kubernetes has no such resource; there are cpu, memory, ephemeral-storage and names such as example.com/device\n" $at -}}
    {{- else if eq $name "cpu" -}}
      {{- if not (regexMatch "^([0-9]+m|[0-9]+(\\.[0-9]{1,3})?)$" $text) -}}
        {{- printf "%s: %q is no processor time such as 500m or 2\n" $at $text -}}
      {{- end -}}
    {{- else if contains "/" $name -}}
      {{- if not (regexMatch "^[0-9]+$" $text) -}}
        {{- printf "%s: %s is no whole number\n" $at $text -}}
      {{- end -}}
    {{- else if and (kindIs "string" $quantity) (not (regexMatch "^[0-9]+(\\.[0-9]+)?(m|k|[MGTPE]|[KMGTPE]i|[eE][0-9]+)?$" $text)) -}}
      {{- printf "%s: %q is no amount such as 512Mi or 1Gi\n" $at $text -}}
    {{- else if and (eq $name "memory") (lt $bytes 16777216.0) -}}
      {{- printf "%s: %s is less than 16Mi, in which nothing of Sonde starts\n" $at $text -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- range $name, $request := $resources.requests -}}
  {{- $limit := index ($resources.limits | default dict) $name -}}
  {{- $most := include "sonde.faults.amount" $limit | float64 -}}
  {{- if and (contains "/" $name) $request (ne (toString $request) (toString $limit)) -}}
    {{- printf "%s.resources: %s needs a limit that is the same as its request\n" $place $name -}}
  {{- else if and (not (kindIs "invalid" $limit)) (ge $most 0.0) (gt (include "sonde.faults.amount" $request | float64) $most) -}}
    {{- printf "%s.resources: the limit of %s (%s) is below its request (%s)\n" $place $name (toString $limit) (toString $request) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* A quantity of Kubernetes as a number; 0 if it is invalid. */}}
{{- define "sonde.faults.amount" -}}
{{- if kindIs "string" . -}}
  {{- $unit := regexFind "[A-Za-z]+$" . -}}
  {{- $factors := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0 "Ei" 1152921504606846976.0 -}}
  {{- mulf (trimSuffix $unit . | float64) (index $factors $unit | default -1.0) -}}
{{- else -}}{{- . | default 0 -}}{{- end -}}
{{- end -}}
