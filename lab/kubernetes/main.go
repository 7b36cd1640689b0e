// One executable that is etcd and every Kubernetes component of the lab.
//
// It acts as the component under whose name it was started, so one link step serves six commands: the setup creates
// a symbolic link for each of them.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/restclient"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	name := filepath.Base(os.Args[0])
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	command, ok := component(name)
	if !ok {
		fmt.Fprintf(os.Stderr, "%s: start this program under the name of a component, for example kubelet\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command))
}

// component returns the command of the named Kubernetes component.
func component(name string) (*cobra.Command, bool) {
	switch name {
	case "kube-apiserver":
		return apiserver.NewAPIServerCommand(), true
	case "kube-controller-manager":
		return controllermanager.NewControllerManagerCommand(), true
	case "kube-scheduler":
		return scheduler.NewSchedulerCommand(), true
	case "kube-proxy":
		return proxy.NewProxyCommand(), true
	case "kubelet":
		// A plain context: the others call SetupSignalContext themselves, and a second call panics.
		return kubelet.NewKubeletCommand(context.Background()), true
	default:
		return nil, false
	}
}
