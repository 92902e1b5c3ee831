/** Messages about configuration documents with their zh-CN translations. */
export const configMessages = {
  "Use 1 to 63 lowercase letters, digits, dots, underscores and hyphens, starting with a letter or digit":
    "键须由 1 到 63 个小写字母、数字、点、下划线和连字符组成，以字母或数字开头",
  "Use 1 to 60 lowercase letters, digits, dots, slashes, underscores and hyphens, starting with a letter or digit":
    "来源须由 1 到 60 个小写字母、数字、点、斜杠、下划线和连字符组成，以字母或数字开头",
  "Reference a monitor by key or an agent by name: monitor:db, agent:web-1":
    "请用键引用监控项、用名称引用 Agent：monitor:db、agent:web-1",
  "{path} is not defined in this or any other document": "此文档和其他文档中都没有定义 {path}",
  "There is no agent named {name}": "没有名为 {name} 的 Agent",
  "A document can contain at most {max} objects": "一个文档最多包含 {max} 个对象",
  "{field} is managed by {source}": "{field} 由 {source} 管理",
  "{name} is managed by {source}": "{name} 由 {source} 管理",
  "{source} already has the key {key}": "来源 {source} 已有键 {key}",
  "{source} already manages the object that this would take over": "要接管的对象由来源 {source} 管理",
  "{name} already exists and no source manages it: set adopt: true to take it over":
    "{name} 已存在且未由任何来源管理：设置 adopt: true 可接管",
  "The document conflicts with the current configuration": "文档与现有配置冲突",
  "This would remove {count} objects from this source; the limit is {max}":
    "此操作将删除该来源的 {count} 个对象，超过上限 {max} 个",
  "Superseded by generation {generation}": "已被第 {generation} 版次取代",
  "The configuration changed in the meantime: apply the document again": "配置在此期间发生了变化：请重新应用该文档",
  "The {service} service is currently unavailable. Applied so far: {applied}. Apply the document again":
    "{service} 服务暂时不可用。已应用：{applied}。请重新应用该文档",
  "Configuration applied": "配置已应用",
  "Nothing to apply": "没有需要应用的更改",
  "Source removed": "来源已删除",
  "Source released": "已解除来源管理",
  "Source does not exist": "来源不存在",
} as const;
