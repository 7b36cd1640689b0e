module nodeferry.dev/lab/agents

go 1.24
