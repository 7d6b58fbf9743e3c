"""The specification of every stage in plain loops; related stages share a file."""

from wheatstone.gpu.stage import modules_by_stage

MODULES = modules_by_stage(
    __name__,
    {
        "image_filters": "invert mean_filter gaussian_filter intensity_normalization",
        "gradient": "non_maximum_suppression",
        "edges": "manual_thresholds automatic_thresholds edge_seeds hysteresis",
        "correlation": "template_statistics",
        "descriptors": "census_transform horizontal_gradient",
        "path_aggregation": "sparse_aggregation",
        "search_range": "searched_blocks searched_count",
        "pixel_costs": "cost_parts ray_costs sweep_costs",
        "disparity": "path_sum winner_takes_all right_winner_takes_all subpixel_refinement depth",
        "confidence": "winner_margin confidence_measure",
        "checks": "uniqueness_check consistency_check rejection_reason outside_mask outside_reason",
        "median_filters": "median_filter guided_median",
        "speckles_and_holes": "speckle_filter hole_filling",
        "output_filters": "decimation temporal_filter",
        "input_views": "rectify rectify_colours colour_conversion grey_conversion",
    },
)
