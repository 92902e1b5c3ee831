/** Errors of assertions and flow steps, part of `proto/http/messages.ts`. */
export const requestMessages = {
  "At most {max} assertions are allowed": "最多 {max} 条断言",
  "A header assertion requires a header name": "响应头断言需要填写名称",
  "A JSON assertion requires a path such as $.data.ok": "JSON 断言需要填写路径，例如 $.data.ok",
  "This is not a valid response header name": "响应头名称无效",
  "The path must select one value, such as $.data.items[0]; this part is not valid: {part}":
    "路径须指向单个值，例如 $.data.items[0]；无法识别此部分：{part}",
  "This comparison requires a value": "该比较需要填写值",
  "This comparison requires a number": "该比较需要填写数字",
  "A response time can only be compared with a number": "响应时间只能按数字比较",
  "At most {max} values are allowed": "最多 {max} 个值",
  "Values can be used in the path and query, but not in the scheme, host or port":
    "值只能用于路径和查询参数，不能用于协议、主机或端口",
  "Use at most 40 letters, digits and underscores, not starting with a digit":
    "名称最多 40 个字母、数字或下划线，且不能以数字开头",
  "No earlier step extracts a value named {name}": "之前的步骤没有提取名为 {name} 的值",
  "Another step already has this name": "已有步骤使用此名称",
  "This step already extracts a value with this name": "此步骤已提取同名的值",
  "This field is too long across all steps (maximum {max} characters)": "所有步骤的此项合计过长（最多 {max} 个字符）",
  "The content type must be application/x-www-form-urlencoded": "内容类型必须是 application/x-www-form-urlencoded",
} as const;
