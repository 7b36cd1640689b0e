// The cloud controller manager of Google Cloud: the framework and the controllers of Kubernetes' own version, with the GCE
// provider that ingress-gce uses. The main package of cloud-provider-gcp itself needs modules that proxies do not have.
package main

import (
	"os"

	"k8s.io/apimachinery/pkg/util/wait"
	cloudprovider "k8s.io/cloud-provider"
	_ "k8s.io/cloud-provider-gcp/providers/gce" // registers "gce"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/klog/v2"
)

func main() {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		klog.Fatal(err)
	}
	command := app.NewCloudControllerManagerCommand(opts, provider, app.DefaultInitFuncConstructors,
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, wait.NeverStop)
	os.Exit(cli.Run(command))
}

// provider starts the cloud provider that the flags name.
func provider(config *config.CompletedConfig) cloudprovider.Interface {
	cloud := config.ComponentConfig.KubeCloudShared.CloudProvider
	started, err := cloudprovider.InitCloudProvider(cloud.Name, cloud.CloudConfigFile)
	if err != nil || started == nil {
		klog.Fatalf("cloud provider %q: %v", cloud.Name, err)
	}
	return started
}
